import { plural } from '../format.js';
import { AnswerPanel } from './answer-panel.js';
import { KINDS } from './kinds.js';
import { countModels, SharedSources } from './shared-sources.js';
import { isBusy, type useAsk } from './use-ask.js';

interface AnswersProps {
  readonly columns: readonly ReturnType<typeof useAsk>[];
  /** How many columns were asked last. All have an element: a call needs it when it starts. */
  readonly asking: number;
  readonly hasRequests: boolean;
}

/** One answer, or several side by side. */
export function Answers({ columns, asking, hasRequests }: AnswersProps) {
  const answers = columns.slice(0, asking).flatMap(({ asked }) => asked ?? []);
  const shared = countModels(answers.map(({ sources }) => sources));
  const common = [...shared.values()].filter((models) => models > 1).length;
  const ended = answers.filter((asked) => !isBusy(asked)).length;
  const { part } = KINDS[answers[0]?.category ?? 'answer'];
  const isCompared = answers.length > 1;
  const attributes =
    isCompared && ({ class: 'side-by-side', role: 'group', 'aria-label': 'Answers', tabIndex: 0 } as const);
  return (
    <SharedSources.Provider value={shared}>
      {isCompared && (
        <p class="hint" role="status">
          {`${ended} of ${answers.length} models have ended.`}
          {shared.size > 0 && ` ${common} of ${plural(shared.size, part)} come from two or more models.`}
        </p>
      )}
      <div {...attributes} hidden={answers.length === 0}>
        {columns.map(({ text }, at) => (
          <AnswerPanel key={at} text={text} asked={answers[at]} isCompared={isCompared} hasRequests={hasRequests} />
        ))}
      </div>
    </SharedSources.Provider>
  );
}

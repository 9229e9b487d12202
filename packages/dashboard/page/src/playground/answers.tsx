import type { Session } from '../../../src/api/contract.js';
import { AnswerPanel } from './answer-panel.js';
import { Comparison } from './comparison.js';
import { countModels, SharedSources } from './shared-sources.js';
import type { useAsk } from './use-ask.js';

/** A model as it was asked. */
export interface Asking {
  readonly id: string;
  /** Labels of the options that were given, and that the model lacks. */
  readonly without: readonly string[];
}

export type Columns = readonly ReturnType<typeof useAsk>[];

interface AnswersProps {
  /** What was asked last. */
  readonly round: readonly Asking[];
  readonly columns: Columns;
  /** How many columns have an element: a call needs it when it starts. */
  readonly places: number;
  readonly session: Session;
}

/** One answer, or several side by side below their figures. */
export function Answers({ round, columns, places, session }: AnswersProps) {
  const rows = round.flatMap(({ id: model }, at) => {
    const asked = columns[at]?.asked;
    return asked === undefined ? [] : [{ model, asked }];
  });
  const shared = countModels(rows.map(({ asked }) => asked.sources));
  const isCompared = rows.length > 1;
  return (
    <SharedSources.Provider value={shared}>
      {isCompared && <Comparison rows={rows} shared={shared} />}
      <div
        class={isCompared ? 'side-by-side' : undefined}
        role={isCompared ? 'group' : undefined}
        aria-label={isCompared ? 'Answers' : undefined}
        tabIndex={isCompared ? 0 : undefined}
        hidden={rows.length === 0}
      >
        {columns.slice(0, places).map(({ text }, at) => (
          <AnswerPanel
            key={at}
            text={text}
            asked={rows[at]?.asked}
            of={isCompared ? rows[at]?.model : undefined}
            without={round[at]?.without ?? []}
            hasRequests={session.has_requests}
          />
        ))}
      </div>
    </SharedSources.Provider>
  );
}

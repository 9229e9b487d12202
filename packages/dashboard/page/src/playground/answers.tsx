import { milliseconds, plural } from '../format.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Money } from '../ui/parts.js';
import { AnswerPanel } from './answer-panel.js';
import { KINDS } from './kinds.js';
import { countModels, SharedSources } from './shared-sources.js';
import { type Asked, isBusy, type useAsk } from './use-ask.js';

interface AnswersProps {
  readonly columns: readonly ReturnType<typeof useAsk>[];
  /** How many columns were asked last. */
  readonly asking: number;
  /** How many columns have an element: a call needs it when it starts. */
  readonly places: number;
  readonly hasRequests: boolean;
}

/** One answer, or several side by side below their figures. */
export function Answers({ columns, asking, places, hasRequests }: AnswersProps) {
  const answers = columns.slice(0, asking).flatMap(({ asked }) => asked ?? []);
  const shared = countModels(answers.map(({ sources }) => sources));
  const isCompared = answers.length > 1;
  const attributes =
    isCompared && ({ class: 'side-by-side', role: 'group', 'aria-label': 'Answers', tabIndex: 0 } as const);
  return (
    <SharedSources.Provider value={shared}>
      {isCompared && <Figures answers={answers} shared={shared} />}
      <div {...attributes} hidden={answers.length === 0}>
        {columns.slice(0, Math.max(places, asking)).map(({ text }, at) => (
          <AnswerPanel key={at} text={text} asked={answers[at]} isCompared={isCompared} hasRequests={hasRequests} />
        ))}
      </div>
    </SharedSources.Provider>
  );
}

/** Each with the word for the least. */
const FIGURES = [
  ['Cost', 'cheapest', ({ cost }: Asked) => cost, (cost: number) => <Money amount={cost.toFixed(9)} />],
  ['First text', 'first', ({ firstMs }: Asked) => firstMs, milliseconds],
  ['Time', 'fastest', ({ durationMs }: Asked) => durationMs, milliseconds],
] as const;

interface FiguresProps {
  readonly answers: readonly Asked[];
  /** How many models have each source. */
  readonly shared: ReadonlyMap<string, number>;
}

/** The figures of several answers, with the best in words once all have ended. */
function Figures({ answers, shared }: FiguresProps) {
  const waiting = answers.filter(isBusy).length;
  const common = [...shared.values()].filter((models) => models > 1).length;
  const { part } = KINDS[answers[0]?.category ?? 'answer'];
  const said =
    shared.size > 0 ? `${common} of ${plural(shared.size, part)} come from two or more models.` : 'All have ended.';
  const columns = FIGURES.map((figure) => figureColumn(figure, waiting === 0 ? answers : []));
  return (
    <div class="comparison">
      <DataTable
        caption="Side by side"
        columns={[{ title: 'Model', cell: outcome }, ...columns]}
        rows={answers}
        rowKey={({ of }) => of}
      />
      <p class="hint" role="status">
        {waiting === 0 ? said : `${answers.length - waiting} of ${answers.length} models have ended.`}
      </p>
    </div>
  );
}

function outcome({ of, phase, category, error, reply, sources }: Asked) {
  const { reason = 'failed' } = (error ?? {}) as { reason?: string };
  const parts = phase === 'done' ? plural(reply?.parts ?? sources.length, KINDS[category].part) : '…';
  return (
    <>
      {of} <small class={phase === 'failed' ? 'bad' : 'hint'}>{phase === 'failed' ? reason : parts}</small>
    </>
  );
}

/** @param ended the answers among which the least is looked for. */
function figureColumn([title, word, figureOf, show]: (typeof FIGURES)[number], ended: readonly Asked[]): Column<Asked> {
  const values = ended.flatMap((asked) => (asked.phase === 'done' ? (figureOf(asked) ?? []) : []));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const cell = (asked: Asked) => {
    const value = figureOf(asked);
    if (value === null) return '–';
    const isBest = asked.phase === 'done' && value === least && least < most;
    return (
      <>
        {isBest && <strong class="good">{word} </strong>}
        {show(value)}
      </>
    );
  };
  return { title, cell, isNumber: true };
}

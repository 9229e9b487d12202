import type { ComponentChildren } from 'preact';
import { milliseconds, plural } from '../format.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { Money } from '../ui/parts.js';
import { KINDS } from './kinds.js';
import { type Asked, isBusy } from './use-ask.js';

interface Row {
  /** The asked model. */
  readonly model: string;
  readonly asked: Asked;
}

interface Figure {
  readonly title: string;
  /** Of the least. */
  readonly word: string;
  valueOf(asked: Asked): number | null;
  show(value: number): ComponentChildren;
}

const COST: Figure = {
  title: 'Cost',
  word: 'cheapest',
  valueOf: ({ cost }) => cost,
  show: (cost) => <Money amount={cost.toFixed(9)} />,
};
const FIRST_TEXT: Figure = {
  title: 'First text',
  word: 'first',
  valueOf: ({ firstMs }) => firstMs,
  show: milliseconds,
};
const WHOLE_TIME: Figure = {
  title: 'Time',
  word: 'fastest',
  valueOf: ({ durationMs }) => durationMs,
  show: milliseconds,
};

interface ComparisonProps {
  readonly rows: readonly Row[];
  /** How many models have each source. */
  readonly shared: ReadonlyMap<string, number>;
}

/** The figures of several answers, with the best in words once all have ended. */
export function Comparison({ rows, shared }: ComparisonProps) {
  const { category } = rows[0]?.asked ?? { category: 'answer' };
  const { part } = KINDS[category];
  const waiting = rows.filter(({ asked }) => isBusy(asked)).length;
  const common = [...shared.values()].filter((models) => models > 1).length;
  const figures = category === 'answer' ? [COST, FIRST_TEXT, WHOLE_TIME] : [COST, WHOLE_TIME];
  const columns: readonly Column<Row>[] = [
    {
      title: 'Model',
      cell: ({ model, asked }) => (
        <>
          {model} {outcomeOf(asked)}
        </>
      ),
    },
    ...figures.map((figure) => columnOf(figure, waiting === 0 ? rows : [])),
  ];
  return (
    <div class="comparison">
      <DataTable caption="Side by side" columns={columns} rows={rows} rowKey={({ model }) => model} />
      <p class="hint" role="status">
        {waiting > 0 && `${rows.length - waiting} of ${rows.length} models have ended.`}
        {waiting === 0 && shared.size > 0 && `${common} of ${plural(shared.size, part)} come from two or more models.`}
      </p>
    </div>
  );
}

/** @param ended the rows that the least is looked for in. */
function columnOf({ title, word, valueOf, show }: Figure, ended: readonly Row[]): Column<Row> {
  const values = ended.flatMap(({ asked }) => (asked.phase === 'done' ? (valueOf(asked) ?? []) : []));
  const least = Math.min(...values);
  const isBest = (value: number) => value === least && values.some((other) => other > least);
  return {
    title,
    isNumber: true,
    cell({ asked }) {
      const value = valueOf(asked);
      if (value === null) return '–';
      return (
        <>
          {asked.phase === 'done' && isBest(value) && <strong class="good">{word} </strong>}
          {show(value)}
        </>
      );
    },
  };
}

function outcomeOf({ phase, category, error, reply, sources }: Asked): ComponentChildren {
  if (phase === 'failed') return <small class="bad">{(error as { reason?: string }).reason ?? 'failed'}</small>;
  const { waiting, part } = KINDS[category];
  const ended = phase === 'done' ? plural(reply?.parts ?? sources.length, part) : 'answering…';
  return <small class="hint">{phase === 'waiting' ? waiting : ended}</small>;
}

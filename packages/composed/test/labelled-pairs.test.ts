import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { holds, statementOf } from '../src/facts.js';

interface Labelled {
  readonly source: string;
  readonly sentences: readonly { readonly kind: string; readonly supported: boolean; readonly text: string }[];
}

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** The pairs of a file, and whether the check lets each pass. */
function judge(name: string) {
  const labelled = read(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Labelled);
  return labelled.flatMap(({ source, sentences }) =>
    sentences.map(({ kind, supported, text }) => {
      return { kind, supported, isHeld: holds(statementOf(source), statementOf(text.replace(/\s*\[1\]/, ''))) };
    }),
  );
}

it('has the precision and the recall that the README states, on 200 pairs of an author who did not know it and 200 of its own', () => {
  const files = ['fresh-pairs.jsonl', 'labelled-pairs.jsonl'].map(judge);
  const kinds = new Map(files.flat().map(({ kind, supported }) => [kind, supported]));
  const held = (pairs: ReturnType<typeof judge>) => pairs.filter(({ isHeld }) => isHeld).length;
  const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = [...kinds].map(([kind, supported]) => {
    const counts = files.map((pairs) => pairs.filter((pair) => pair.kind === kind));
    return row(kind, supported ? 'yes' : 'no', ...counts.map((pairs) => `${held(pairs)} of ${pairs.length}`));
  });
  const right = files.map((pairs) => pairs.filter(({ supported }) => supported));
  const shares = (wholes: readonly number[]) => right.map((pairs, at) => (held(pairs) / (wholes[at] ?? 0)).toFixed(2));
  const table = [
    ...rows,
    row('precision', '', ...shares(files.map(held))),
    row('recall', '', ...shares(right.map(({ length }) => length))),
  ];
  expect(files.map(({ length }) => length)).toEqual([200, 200]);
  expect(read('../README.md')).toContain(table.join('\n'));
});

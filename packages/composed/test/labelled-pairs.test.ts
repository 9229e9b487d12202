import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { holds, statementOf } from '../src/facts.js';

interface Labelled {
  readonly source: string;
  readonly language: string;
  readonly sentences: readonly { readonly kind: string; readonly supported: boolean; readonly text: string }[];
}

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const linesOf = (name: string) => read(name).trimEnd().split('\n');
const labelled = linesOf('labelled-pairs.jsonl').map((line) => JSON.parse(line) as Labelled);

it('has the precision and the recall that the README states, on 200 labelled pairs', () => {
  const judged = labelled.flatMap(({ source, language, sentences }) =>
    sentences.map(({ kind, supported, text }) => {
      return {
        kind,
        supported,
        language,
        text,
        isHeld: holds(statementOf(source), statementOf(text.replace(/\s*\[1\]/, ''))),
      };
    }),
  );
  const count = (pairs: typeof judged) => [pairs.filter(({ isHeld }) => isHeld).length, pairs.length] as const;
  const rows = [...new Set(judged.map(({ kind }) => kind))].map((kind) => {
    const pairs = judged.filter((pair) => pair.kind === kind);
    const [held, all] = count(pairs);
    return `| ${kind} | ${pairs[0]?.supported === true ? 'yes' : 'no'} | ${held} of ${all} |`;
  });
  const [heldRight, right] = count(judged.filter(({ supported }) => supported));
  const [held] = count(judged);
  const share = (part: number, whole: number) => (part / whole).toFixed(2);
  const table = [...rows, '', `Precision ${share(heldRight, held)}, recall ${share(heldRight, right)}`].join('\n');
  expect(judged).toHaveLength(200);
  expect(read('../README.md')).toContain(table);
});

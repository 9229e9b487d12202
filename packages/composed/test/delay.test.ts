import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { page, providerFor, scripted } from './host.js';

interface Labelled {
  readonly source: string;
  readonly sentences: readonly { readonly kind: string; readonly text: string }[];
}

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const labelled = read('labelled-pairs.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Labelled);
const OF_ANSWER = 4;
const TOKEN = 4;

/** How many tokens later each character of an answer from four sources is handed over, on the way through the whole adapter. */
async function delaysOf(sources: readonly Labelled[]): Promise<readonly number[]> {
  const said = sources.map(({ sentences }, index) =>
    sentences.flatMap(({ kind, text }) => (kind === 'true' ? text.replace('[1]', `[${index + 1}]`) : [])).join(' '),
  );
  const text = said.join('\n\n');
  const { context, close } = scripted({
    search: () => sources.map(({ source }, index) => page(`https://${index}.example/`, source)),
  });
  let token = 0;
  let handed = '';
  const delays: number[] = [];
  const send: typeof context.upstream.send = async ({ onText }) => {
    const chunk = (delta: object, finish_reason: string | null) =>
      onText?.(`data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`);
    for (; token * TOKEN < text.length; token += 1)
      chunk({ content: text.slice(token * TOKEN, (token + 1) * TOKEN) }, null);
    chunk({}, 'stop');
    return Promise.resolve({ status: 200, header: () => 'text/event-stream', text: '' });
  };
  const { models, answer } = providerFor({ baseUrl: 'http://127.0.0.1:9', model: { onUnsupported: 'mark' } });
  const [model = expect.unreachable()] = models;
  await answer?.stream?.(
    { model, query: 'Q' },
    { ...context, upstream: { send } },
    {
      citations: () => undefined,
      text: (part) => {
        handed += part;
        while (delays.length < handed.length) delays.push(token - Math.floor(delays.length / TOKEN));
      },
    },
  );
  await close();
  // Marked citations are as long as others: each character stays in its place.
  expect(handed.replaceAll(/\[.\]/g, '')).toBe(text.replaceAll(/\[.\]/g, ''));
  expect(handed).toHaveLength(text.length);
  return delays;
}

it('delays a stream as the README states', async () => {
  const answers: (readonly number[])[] = [];
  for (let at = 0; at < labelled.length; at += OF_ANSWER)
    answers.push(await delaysOf(labelled.slice(at, at + OF_ANSWER)));
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  const row = (name: string, tokens: number) => `| ${name} | ${tokens.toFixed(0)} | ${(tokens / 50).toFixed(1)} |`;
  const firsts = answers.map(([first = 0]) => first);
  const all = answers.flat();
  expect(Math.min(...all)).toBeGreaterThanOrEqual(0);
  const table = [
    row('first text, on average', mean(firsts)),
    row('first text, at most', Math.max(...firsts)),
    row('each character, on average', mean(all)),
    row('each character, at most', Math.max(...all)),
  ];
  expect(read('../README.md')).toContain(table.join('\n'));
});

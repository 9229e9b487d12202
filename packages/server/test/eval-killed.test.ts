import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { bundledProgram } from './kit/bundled-program.js';
import { evalFolder, evalGateway, KEY } from './kit/eval-stage.js';
import { SLOW_MS } from './kit/standalone-suite.js';

const program = fileURLToPath(new URL('../src/bin/searchgate.ts', import.meta.url));
const LINES = Array.from({ length: 8 }, (_, at) => ({
  id: `q${at}`,
  query: `Question ${at}?`,
  expect: { contains: 'text' },
}));
const RUNS = 2;
const CALLS = LINES.length * RUNS * 2;

/** A price of its own for each question, so that a call that is missing or double shows in the sum. */
const costOf = (query: string) => `0.00${1 + (Number(/\d+/.exec(query)?.[0]) % 9)}000007`;

async function start(argv: readonly string[]) {
  const child = spawn(process.execPath, [await bundledProgram(program), 'eval', ...argv], {
    env: { PATH: process.env['PATH'], SEARCHGATE_API_KEY: KEY },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, exited: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string) };
}

it('pays each call once, to the nano, though its process is killed twice', { timeout: SLOW_MS }, async () => {
  const { good, poor, url, charged } = await evalGateway();
  /** Kills the process at these questions; the answers come only when it is dead. */
  const kills: Record<number, () => Promise<unknown>> = {};
  let asked = 0;
  const reply = ({ query }: { query: string }) => {
    asked += 1;
    return { text: [kills[asked]?.() ?? Promise.resolve(), 'A text.'], cost: costOf(query) };
  };
  good.reply(reply);
  poor.reply(reply);
  const { folder, file, out, report, run } = evalFolder(LINES);
  const argv = [
    file,
    '--url',
    url,
    '--models',
    'good/answer,poor/answer',
    '--runs',
    String(RUNS),
    '--out',
    out,
    '--max-cost',
    '1',
  ];
  for (const at of [6, 17]) {
    const { child, exited } = await start(argv);
    kills[at] = () => {
      child.kill('SIGKILL');
      return exited;
    };
    expect(await exited).toBe('SIGKILL');
    expect(report()).toMatchObject({ ended: expect.stringContaining('killed') });
  }
  // As if the end of a line had not been written.
  appendFileSync(join(folder, 'report.state.jsonl'), '{"ended":"eval-0');
  expect(await (await start(argv)).exited).toBe(0);
  expect(asked).toBe(CALLS);
  expect(report()).toMatchObject({ ended: null, spent: await charged() });
  expect(report().results).toHaveLength(CALLS);

  const before = readFileSync(join(folder, 'report.state.jsonl'), 'utf8');
  expect(
    (await run(['--url', url, '--models', 'good/answer,poor/answer', '--runs', '2'], { SEARCHGATE_API_KEY: KEY })).code,
  ).toBe(0);
  expect([asked, readFileSync(join(folder, 'report.state.jsonl'), 'utf8')]).toEqual([CALLS, before]);

  const whole = evalFolder(LINES);
  await whole.run(['--url', url, '--models', 'good/answer,poor/answer', '--runs', '2'], { SEARCHGATE_API_KEY: KEY });
  expect(whole.report().spent).toBe(report().spent);
});

it('ends after the calls under way at Ctrl-C', { timeout: SLOW_MS }, async () => {
  const { good, url, charged } = await evalGateway();
  let interrupt: (() => unknown) | undefined;
  good.reply(() => ({ text: [Promise.resolve(interrupt?.()), 'A text.'] }));
  const { file, out, report } = evalFolder(LINES);
  const { child, exited } = await start([
    file,
    '--url',
    url,
    '--models',
    'good/answer',
    '--out',
    out,
    '--max-cost',
    '1',
  ]);
  interrupt = () => {
    interrupt = undefined;
    child.kill('SIGINT');
  };
  expect(await exited).toBe(1);
  expect(report()).toMatchObject({ ended: 'interrupted', spent: await charged() });
});

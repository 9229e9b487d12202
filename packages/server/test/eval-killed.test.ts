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
const LINES = Array.from({ length: 8 }, (_, at) => ({ id: `q${at}`, query: `Question ${at}?` }));
const ACCESS = { SEARCHGATE_API_KEY: KEY };
const RUNS = 2;
const CALLS = LINES.length * RUNS * 2;

/** A price of its own for each question, so that a call that is missing or double shows in the sum. */
const costOf = (query: string) => `0.00${1 + (Number(/\d+/.exec(query)?.[0]) % 9)}000007`;

async function start(argv: readonly string[]) {
  const child = spawn(process.execPath, [await bundledProgram(program), 'eval', ...argv], {
    env: { PATH: process.env['PATH'], ...ACCESS },
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
  const { folder, report, run, fixed } = evalFolder(LINES);
  const argv = `--url ${url} --models good/answer,poor/answer --runs ${RUNS}`.split(' ');
  for (const at of [6, 17]) {
    const { child, exited } = await start([...fixed, ...argv]);
    kills[at] = () => {
      child.kill('SIGKILL');
      return exited;
    };
    expect(await exited).toBe('SIGKILL');
    expect(report()).toMatchObject({ ended: expect.stringContaining('killed') });
  }
  // As if the end of a line had not been written.
  appendFileSync(join(folder, 'report.state.jsonl'), '{"ended":"eval-0');
  expect(await (await start([...fixed, ...argv])).exited).toBe(0);
  expect(asked).toBe(CALLS);
  expect(report()).toMatchObject({ ended: null, spent: await charged() });
  expect(report().results).toHaveLength(CALLS);

  const before = readFileSync(join(folder, 'report.state.jsonl'), 'utf8');
  expect((await run(argv, ACCESS)).code).toBe(0);
  expect([asked, readFileSync(join(folder, 'report.state.jsonl'), 'utf8')]).toEqual([CALLS, before]);

  const whole = evalFolder(LINES);
  await whole.run(argv, ACCESS);
  expect(whole.report().spent).toBe(report().spent);
});

it('ends after the calls under way at Ctrl-C', { timeout: SLOW_MS }, async () => {
  const { good, url, charged } = await evalGateway();
  let interrupt: (() => unknown) | undefined;
  good.reply(() => ({ text: [Promise.resolve(interrupt?.()), 'A text.'] }));
  const { report, fixed } = evalFolder(LINES);
  const { child, exited } = await start([...fixed, '--url', url, '--models', 'good/answer']);
  interrupt = () => {
    interrupt = undefined;
    child.kill('SIGINT');
  };
  expect(await exited).toBe(1);
  expect(report()).toMatchObject({ ended: 'interrupted', spent: await charged() });
});

import { parseUsd } from '@searchgate/core';
import { expect, it } from 'vitest';
import type { TestBudget, TestKey } from '../accounts.js';
import { engineSuite } from '../engine-suite.js';
import { type Engine, SERVER_ENGINES } from '../engines.js';
import type { GatewayProcess } from '../gateway-process.js';
import { keepAsking } from '../keep-asking.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT, METERED } from '../upstream-dialects.js';

const CRASHES = 4;
const PROCESSES = 2;
const CALLERS = 16;
const MAX_CALLS = 200_000;
const ANSWERS_BETWEEN_CRASHES = 100;
/** Short, so that callers get the error soon. */
const LEDGER_TIMEOUT_MS = 500;
const AN_HOUR_MS = 3_600_000;
const PATIENCE_MS = 30_000;
const PLENTY = parseUsd('1000');
const BUDGETS: readonly TestBudget[] = [
  { id: 'user', limit: PLENTY, limitReset: 'daily' },
  { id: 'team', limit: PLENTY, limitReset: null },
];
/** Pause after a refused call. */
const PAUSE_MS = 20;

const suite = (engine: Engine): void => {
  it('loses no charge; gateways refuse calls until it is back, then recover', { timeout: 180_000 }, async () => {
    await onStage({ engine, answerDelayMs: (random) => random.between(0, 12) }, async (stage) => {
      const keys = [
        await stage.account({ id: 'acme', credits: PLENTY, budgets: BUDGETS }),
        await stage.account({ id: 'acme', credits: PLENTY, budgets: BUDGETS.slice(1) }),
      ];
      const gateways = await Promise.all(
        Array.from({ length: PROCESSES }, () => stage.start({ ledgerTimeoutMs: LEDGER_TIMEOUT_MS })),
      );
      let over = false;
      const load = keepAsking({
        callers: CALLERS,
        maxCalls: MAX_CALLS,
        isOver: () => over,
        askOnce: askOnce.bind(null, stage, gateways, keys),
      });
      const crashes = crashRepeatedly(stage).finally(() => (over = true));
      await Promise.all([crashes, load]);
      await Promise.all(gateways.map((gateway) => gateway.stop()));

      await stage.expireAfter(AN_HOUR_MS);
      const { problems, audit } = await stage.check();
      tell(stage);
      expect(problems).toEqual({});
      expect(audit.openHolds).toBe(0);
      expect([...stage.journal.refusals.keys()]).toEqual(['503 ledger_unavailable']);
      expect(stage.journal.lost).toEqual([]);
    });
  });
};

await engineSuite(`a server killed ${CRASHES} times under load`, suite, SERVER_ENGINES);

async function askOnce(stage: Stage, gateways: readonly GatewayProcess[], keys: readonly TestKey[]): Promise<void> {
  const { random, journal } = stage;
  const key = random.pick(keys);
  const question = `${key.id} #${journal.calls} ${random.next()}`;
  const call = { key, question, model: random.pick([FLAT, METERED]) };
  const { status } = await stage.call(random.pick(gateways), call);
  if (status !== 'answered') await pause();
}

/** Kills the server under load, waits until callers have noticed, and starts it again. */
async function crashRepeatedly({ journal, engine: { server } }: Stage): Promise<void> {
  if (server === null) throw new Error('there is no server to kill');
  for (let crash = 0; crash < CRASHES; crash += 1) {
    await reach(() => journal.acknowledged.length, ANSWERS_BETWEEN_CRASHES);
    await server.kill();
    await reach(() => refusalsOf(journal.refusals), 1);
    await server.start();
  }
  await reach(() => journal.acknowledged.length, ANSWERS_BETWEEN_CRASHES);
}

function refusalsOf(refusals: ReadonlyMap<string, number>): number {
  return [...refusals.values()].reduce((sum, times) => sum + times, 0);
}

/** Waits until a count has grown by `growth`. @throws Error if it does not. */
async function reach(count: () => number, growth: number): Promise<void> {
  const goal = count() + growth;
  for (let waitedMs = 0; count() < goal; waitedMs += PAUSE_MS) {
    if (waitedMs > PATIENCE_MS) throw new Error(`still at ${count()} of ${goal} after ${PATIENCE_MS} ms`);
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

function tell({ engine, journal: { calls, acknowledged, refusals } }: Stage): void {
  const refused = [...refusals].map(([refusal, times]) => `${times} × ${refusal}`).join(', ');
  console.log(
    `${engine.name}: ${CRASHES} crashes, ${calls} calls, ${acknowledged.length} answers delivered; ${refused}`,
  );
}

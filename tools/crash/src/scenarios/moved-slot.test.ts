import { parseUsd } from '@searchgate/core';
import { startRedisCluster } from '@searchgate-internal/test-servers';
import { afterAll, describe, expect, it } from 'vitest';
import type { TestKey } from '../accounts.js';
import type { Engine } from '../engines.js';
import type { GatewayProcess } from '../gateway-process.js';
import { keepAsking } from '../keep-asking.js';
import { moveSlot } from '../move-slot.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT, METERED } from '../upstream-dialects.js';

const CLIENTS = ['ioredis-cluster', 'node-redis-cluster'] as const;
const ORGANIZATIONS = 12;
const CALLERS = 16;
const MAX_CALLS = 200_000;
/** Twice around a Cluster of three: every node loses and regains the slot. */
const MOVES = 6;
/** Number of calls that end, answered or not, while the slot is half moved: at each of the first keys of every second move. */
const CALLS_BETWEEN_KEYS = 6;
const PAUSED_KEYS = 20;
const ANSWERS_BETWEEN_MOVES = 200;
/** Short, so that callers get the error soon. */
const LEDGER_TIMEOUT_MS = 500;
const AN_HOUR_MS = 3_600_000;
const PLENTY = parseUsd('1000');

const cluster = await startRedisCluster();

const note = 'reason' in cluster ? ` (skipped: ${cluster.reason})` : '';

describe.skipIf(note !== '')(`a ledger whose slot is moved under load, on a Redis Cluster${note}`, () => {
  if ('reason' in cluster) return;
  const { urls } = cluster;
  afterAll(() => cluster.stop());
  const locations = CLIENTS.map((client) => `${client}:${urls.join(',')}`);
  const newLedger = async () => locations[0] ?? '';
  const engine: Engine = { name: 'redis', newLedger, server: null, stop: async () => {} };

  it('keeps every charge, counts correctly, and refuses no caller who can pay', { timeout: 300_000 }, async () => {
    await onStage({ engine, answerDelayMs: (random) => random.between(0, 12) }, async (stage) => {
      const keys: TestKey[] = [];
      for (let index = 0; index < ORGANIZATIONS; index += 1) {
        keys.push(await stage.account({ id: `org-${index}`, credits: PLENTY, limit: PLENTY, limitReset: 'daily' }));
      }
      const gateways = await Promise.all(
        locations.map((location) => stage.start({ location, ledgerTimeoutMs: LEDGER_TIMEOUT_MS })),
      );
      let over = false;
      const askOnce = () => ask(stage, { keys, gateways });
      const load = keepAsking({ callers: CALLERS, maxCalls: MAX_CALLS, isOver: () => over, askOnce });
      const moved = moveAround(stage, urls).finally(() => (over = true));
      await Promise.all([moved, load]);
      await Promise.all(gateways.map((gateway) => gateway.stop()));

      await stage.expireAfter(AN_HOUR_MS);
      const { problems, audit } = await stage.check();
      tell(stage, await moved);
      expect(problems).toEqual({});
      expect(audit.openHolds).toBe(0);
      // While two nodes share the ledger's keys, every call is refused, but none for lack of money.
      expect([...stage.journal.refusals.keys()]).toEqual(['503 ledger_unavailable']);
      expect(stage.journal.lost).toEqual([]);
    });
  });
});

interface Callers {
  readonly keys: readonly TestKey[];
  readonly gateways: readonly GatewayProcess[];
}

async function ask({ random, journal, call }: Stage, { keys, gateways }: Callers): Promise<void> {
  const key = random.pick(keys);
  const question = `${key.id} #${journal.calls} ${random.next()}`;
  await call(random.pick(gateways), { key, question, model: random.pick([FLAT, METERED]) });
}

/** @returns the number of keys of each move. */
async function moveAround({ journal }: Stage, nodes: readonly string[]): Promise<number[]> {
  const moved: number[] = [];
  for (let move = 0; move < MOVES; move += 1) {
    await grow(() => journal.acknowledged.length, ANSWERS_BETWEEN_MOVES);
    const between = () => grow(() => journal.calls, CALLS_BETWEEN_KEYS);
    moved.push(await moveSlot({ nodes, key: '{searchgate}:meta', between, pauses: move % 2 === 0 ? PAUSED_KEYS : 0 }));
  }
  await grow(() => journal.acknowledged.length, ANSWERS_BETWEEN_MOVES);
  return moved;
}

const PATIENCE_MS = 60_000;
const PAUSE_MS = 5;

/** Waits until a count has grown by `growth`. @throws Error if it does not. */
async function grow(count: () => number, growth: number): Promise<void> {
  const goal = count() + growth;
  for (let waitedMs = 0; count() < goal; waitedMs += PAUSE_MS) {
    if (waitedMs > PATIENCE_MS) throw new Error(`still at ${count()} of ${goal} after ${PATIENCE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function tell({ journal: { calls, acknowledged, refusals } }: Stage, moved: readonly number[]): void {
  const refused = [...refusals].map(([refusal, times]) => `${times} × ${refusal}`).join(', ');
  console.log(
    `${calls} calls, ${acknowledged.length} answers delivered, keys moved: ${moved.join(', ')}; refused: ${refused}`,
  );
}

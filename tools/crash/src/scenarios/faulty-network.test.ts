import { parseUsd } from '@searchgate/core';
import { expect, it } from 'vitest';
import type { TestKey } from '../accounts.js';
import type { Call } from '../ask.js';
import { engineSuite } from '../engine-suite.js';
import { type Engine, SERVER_ENGINES } from '../engines.js';
import { type FaultyNetwork, startFaultyNetwork } from '../faulty-network.js';
import type { GatewayProcess } from '../gateway-process.js';
import { keepAsking } from '../keep-asking.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT, METERED } from '../upstream-dialects.js';

const ANSWERS = 300;
const PROCESSES = 2;
const CALLERS = 16;
const MAX_CALLS = 20_000;
const MESSAGES_PER_FAULT = 20;
/** Required number of each kind, however long it takes. */
const LEAST_FAULTS = 5;
const LEDGER_TIMEOUT_MS = 500;
const HELD_UP_MS = 700;
const MOST_TRIES = 50;
const PAUSE_MS = 100;
/** A repeated call may be refused as in progress until the ledger has recorded the failure of the first call. */
const EXPECTED_REFUSALS = ['503 ledger_unavailable', '409 idempotency_in_progress'];
const AN_HOUR_MS = 3_600_000;
const PLENTY = parseUsd('1000');

const suite = (engine: Engine): void => {
  it('lose no charge and charge nothing twice', { timeout: 120_000 }, async () => {
    await onStage({ engine, answerDelayMs: (random) => random.between(0, 12) }, async (stage) => {
      const { location, random, journal } = stage;
      const network = await startFaultyNetwork({ location, random, heldUpMs: HELD_UP_MS });
      try {
        const key = await stage.account({ id: 'acme', credits: PLENTY });
        expect(await askOver(network, stage, key)).toEqual([]);
      } finally {
        await network.close();
      }
      await stage.expireAfter(AN_HOUR_MS);
      const { problems, audit, charges } = await stage.check();
      tell(stage, network);
      expect(problems).toEqual({});
      expect(audit.openHolds).toBe(0);
      expect([...journal.refusals.keys()].filter((refusal) => !EXPECTED_REFUSALS.includes(refusal))).toEqual([]);
      expect(journal.lost).toEqual([]);
      // No process was killed, so every charged answer was also delivered.
      expect(charges).toHaveLength(new Set(journal.acknowledged.map(({ id }) => id)).size);
    });
  });
};

await engineSuite('gateways on a network that loses and holds up what they tell the ledger', suite, SERVER_ENGINES);

/** @returns the idempotency keys that never got an answer. */
async function askOver(network: FaultyNetwork, stage: Stage, key: TestKey): Promise<string[]> {
  const { journal, random } = stage;
  const start = () => stage.start({ location: network.location, ledgerTimeoutMs: LEDGER_TIMEOUT_MS });
  const gateways = await Promise.all(Array.from({ length: PROCESSES }, start));
  const givenUp: string[] = [];
  network.failOneIn(MESSAGES_PER_FAULT);
  await keepAsking({
    callers: CALLERS,
    maxCalls: MAX_CALLS,
    isOver: () => journal.acknowledged.length >= ANSWERS && rarestFault(network) >= LEAST_FAULTS,
    async askOnce() {
      const question = `${key.id} #${journal.calls} ${random.next()}`;
      const repeatable = random.chance(0.5) && { idempotencyKey: question };
      const call = { key, question, model: random.pick([FLAT, METERED]), ...repeatable };
      if (!(await askUntilAnswered(stage, gateways, call)) && call.idempotencyKey) givenUp.push(call.idempotencyKey);
    },
  });
  // A closing gateway tries unsettled charges once more: let every gateway notice first that the network is sound again.
  network.failOneIn(0);
  for (const [index, gateway] of gateways.entries()) {
    const question = `${key.id} the last but ${index}`;
    await askUntilAnswered(stage, [gateway], { key, question, model: FLAT, idempotencyKey: question });
  }
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  return givenUp;
}

/** A caller with an idempotency key retries while refused: no failure may leave a claim behind. */
async function askUntilAnswered(stage: Stage, gateways: readonly GatewayProcess[], call: Call): Promise<boolean> {
  for (let tries = call.idempotencyKey === undefined ? 1 : MOST_TRIES; tries > 0; tries -= 1) {
    const { status } = await stage.call(stage.random.pick(gateways), call);
    if (status === 'answered') return true;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return false;
}

function rarestFault({ faults }: FaultyNetwork): number {
  return Math.min(...Object.values(faults));
}

function tell({ engine, journal: { calls, acknowledged, refusals } }: Stage, { faults }: FaultyNetwork): void {
  const refused = [...refusals].map(([refusal, times]) => `${times} × ${refusal}`).join(', ');
  const counts = JSON.stringify(faults);
  console.log(`${engine.name}: ${counts}, ${calls} calls, ${acknowledged.length} answers delivered; ${refused}`);
}

import { parseUsd } from '@searchgate/core';
import { expect, it } from 'vitest';
import type { TestKey } from '../accounts.js';
import { engineSuite } from '../engine-suite.js';
import { keepAsking } from '../keep-asking.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT } from '../upstream-dialects.js';

const ANSWERS = 600;
const PROCESSES = 3;
const CALLERS = 16;
const MAX_CALLS = 20_000;
const MAX_ROUNDS = 100_000;
const AN_HOUR_MS = 3_600_000;
const PLENTY = parseUsd('1000');

await engineSuite('holds that expire while their calls are being answered', (engine) => {
  it('are still charged once', { timeout: 120_000 }, async () => {
    await onStage({ engine, answerDelayMs: (random) => random.between(0, 12) }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY });
      const expired = await askAndExpire(stage, key);

      const { problems, charges, entries, audit } = await stage.check();
      expect(problems).toEqual({});
      expect(audit.openHolds).toBe(0);
      expect([...stage.journal.refusals, ...stage.journal.lost]).toEqual([]);
      expect(charges).toHaveLength(stage.journal.acknowledged.length);
      expect(entries.filter(({ kind }) => kind === 'expired')).toHaveLength(expired);
      expect(charges.filter(({ late }) => late)).toHaveLength(expired);
      expect(expired).toBeGreaterThan(0);
    });
  });
});

/** Ends every hold repeatedly during calls, as if each call outlived its hold. @returns the number of ended holds. */
async function askAndExpire(stage: Stage, key: TestKey): Promise<number> {
  const { journal, random } = stage;
  const gateways = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start()));
  const load = { over: false };
  let expired = 0;
  const answered = keepAsking({
    callers: CALLERS,
    maxCalls: MAX_CALLS,
    isOver: () => journal.acknowledged.length >= ANSWERS,
    async askOnce() {
      const question = `${key.id} #${journal.calls} ${random.next()}`;
      await stage.call(random.pick(gateways), { key, question, model: FLAT });
    },
  }).finally(() => (load.over = true));
  for (let round = 0; !load.over && round < MAX_ROUNDS; round += 1) {
    expired += await stage.expireAfter(AN_HOUR_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await answered;
  return expired;
}

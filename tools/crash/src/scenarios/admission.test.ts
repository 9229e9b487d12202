import { parseUsd } from '@searchgate/core';
import { expect, it } from 'vitest';
import type { TestKey } from '../accounts.js';
import type { Outcome } from '../ask.js';
import { engineSuite } from '../engine-suite.js';
import type { GatewayProcess } from '../gateway-process.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT } from '../upstream-dialects.js';

const PROCESSES = 4;
const CALLS = 200;
const ROOM = 10;
const HOUR_MS = 3_600_000;
const PLENTY = parseUsd('1000');
/** Nothing of this limit drains during a scenario. */
const TEN_A_DAY = { requests: ROOM, periodMs: 86_400_000 };
/** A hold lives for 90 s: the model's deadline plus the grace. A scenario takes far less than half a minute. */
const CALL = { answerTimeoutMs: 30_000, holdGraceMs: 60_000 };
const BEFORE_EXPIRY_MS = 60_000;
const AFTER_EXPIRY_MS = 120_000;

await engineSuite('admission', (engine) => {
  it('accepts exactly 10 of 200 parallel calls for 10 slots, over four processes', { timeout: 150_000 }, async () => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY, maxConcurrent: ROOM });
      // The accepted calls keep their slots until all others were refused.
      const answer = Array.from({ length: CALLS }, (_, index) => stage.upstream.hold(questionOf(key, index)));
      const outcomes = await askAllAtOnce(stage, key, (refused) => {
        if (refused === CALLS - ROOM) for (const open of answer) open();
      });
      expect(outcomes).toEqual({ answered: ROOM, concurrency_limited: CALLS - ROOM });
      const { problems, audit } = await stage.check();
      expect([problems, audit.openHolds, audit.differences]).toEqual([{}, 0, []]);
    });
  });

  it('accepts 10 of 200 parallel calls at a rate of 10, over four processes', { timeout: 150_000 }, async () => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY, rateLimit: TEN_A_DAY });
      expect(await askAllAtOnce(stage, key)).toEqual({ answered: ROOM, rate_limited: CALLS - ROOM });
      expect((await stage.check()).problems).toEqual({});
    });
  });

  it('frees the slot of a killed process when its hold expires, not before', {
    timeout: 120_000,
  }, async () => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY, maxConcurrent: 1 });
      const [dying, other] = await Promise.all([stage.start(CALL), stage.start(CALL)]);
      const ask = (gateway: GatewayProcess, question: string) =>
        stage.call(gateway, { key, question: `${key.id} ${question}`, model: FLAT });
      stage.upstream.hold(`${key.id} lost`);
      const lost = ask(dying, 'lost');
      await stage.upstream.asked(`${key.id} lost`);
      expect(await ask(other, 'second')).toMatchObject({ reason: 'concurrency_limited' });
      await dying.kill();
      expect(await lost).toMatchObject({ status: 'lost' });

      expect(await stage.expireAfter(BEFORE_EXPIRY_MS)).toBe(0);
      expect(await ask(other, 'third')).toMatchObject({ reason: 'concurrency_limited' });
      expect(await stage.expireAfter(AFTER_EXPIRY_MS)).toBe(1);
      expect(await ask(other, 'fourth')).toMatchObject({ status: 'answered' });
      const { audit } = await stage.check();
      expect([audit.openHolds, audit.differences]).toEqual([0, []]);
    });
  });

  it('accepts no more calls than the rate if the clocks of processes disagree', { timeout: 120_000 }, async () => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY, rateLimit: { ...TEN_A_DAY, requests: 3 } });
      const gateways = await Promise.all(
        [2 * HOUR_MS, 0, -2 * HOUR_MS].map((clockOffsetMs) => stage.start({ ...CALL, clockOffsetMs })),
      );
      const reasons: string[] = [];
      for (let call = 0; call < 9; call += 1) {
        const gateway = gateways[call % gateways.length] as GatewayProcess;
        reasons.push(nameOf(await stage.call(gateway, { key, question: questionOf(key, call), model: FLAT })));
      }
      const refused = Array.from({ length: 6 }, () => 'rate_limited');
      expect(reasons).toEqual(['answered', 'answered', 'answered', ...refused]);
    });
  });
});

function questionOf(key: TestKey, index: number): string {
  return `${key.id} #${index}`;
}

function nameOf(outcome: Outcome): string {
  return outcome.status === 'refused' ? outcome.reason : outcome.status;
}

/** @param onRefused called with the number of refused calls so far. @returns the number of calls by outcome. */
async function askAllAtOnce(stage: Stage, key: TestKey, onRefused: (refused: number) => void = () => undefined) {
  const gateways = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start()));
  const counts: Record<string, number> = {};
  let refused = 0;
  const calls = Array.from({ length: CALLS }, async (_, index) => {
    const gateway = gateways[index % gateways.length] as GatewayProcess;
    const outcome = await stage.call(gateway, { key, question: questionOf(key, index), model: FLAT });
    const name = nameOf(outcome);
    counts[name] = (counts[name] ?? 0) + 1;
    if (outcome.status === 'refused') onRefused((refused += 1));
  });
  await Promise.all(calls);
  return counts;
}

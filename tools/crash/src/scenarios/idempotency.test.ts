import { parseUsd } from '@searchgate/core';
import { expect, it } from 'vitest';
import type { Call, Outcome } from '../ask.js';
import { engineSuite } from '../engine-suite.js';
import type { GatewayProcess } from '../gateway-process.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT, PRICE_NANOS } from '../upstream-dialects.js';

const PROCESSES = 4;
const CALLS = 100;
const PLENTY = parseUsd('1000');
const AN_HOUR_MS = 3_600_000;
const PRICE = BigInt(PRICE_NANOS);

/** A claim outlives its process by this time: the model's deadline plus the grace of its hold. */
const SHORT_CLAIM = { answerTimeoutMs: 2_500, holdGraceMs: 1_000 };
const CLAIM_MS = SHORT_CLAIM.answerTimeoutMs + SHORT_CLAIM.holdGraceMs;
const POLL_MS = 50;
const MAX_POLLS = 600;

await engineSuite('an idempotency key', (engine) => {
  it('turns 100 parallel calls over 4 processes into one call and one charge', { timeout: 120_000 }, async () => {
    await onStage({ engine, answerDelayMs: () => 20 }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY });
      const call = { key, question: `${key.id} #1`, model: FLAT, idempotencyKey: 'order-1' };
      const gateways = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start()));

      const outcomes = await Promise.all(
        Array.from({ length: CALLS }, (_, index) => stage.call(gateways[index % PROCESSES] as GatewayProcess, call)),
      );
      const fresh = outcomes.filter((outcome) => outcome.status === 'answered' && !outcome.answer.replayed);
      expect(fresh).toHaveLength(1);
      expect(outcomes.filter((outcome) => !isAnsweredOrInProgress(outcome))).toEqual([]);

      // Refused callers get the same answer afterwards, from every process.
      for (const gateway of gateways) {
        expect(await stage.call(gateway, call)).toMatchObject({ status: 'answered', answer: { replayed: true } });
      }
      await expectOneCharge(stage);
      expect(stage.upstream.calls).toHaveLength(1);
    });
  });

  it('answers 409 after a kill of its process until its claim expires, and is then charged once', {
    timeout: 120_000,
  }, async () => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY });
      const call = { key, question: `${key.id} #1`, model: FLAT, idempotencyKey: 'order-1' };
      const [doomed, other] = await Promise.all([stage.start(SHORT_CLAIM), stage.start(SHORT_CLAIM)]);

      const open = stage.upstream.hold(call.question);
      const askedAtMs = Date.now();
      const unanswered = stage.call(doomed, call);
      await stage.upstream.asked(call.question);
      await doomed.kill();
      expect(await unanswered).toMatchObject({ status: 'lost' });
      open();

      const { outcome, refusals } = await repeatWhileInProgress(stage, other, call);
      expect(outcome).toMatchObject({ status: 'answered', answer: { replayed: false } });
      expect(refusals).toBeGreaterThan(0);
      // The claim was made after this moment and did not end early.
      expect(Date.now() - askedAtMs).toBeGreaterThanOrEqual(CLAIM_MS);

      expect(await stage.expireAfter(AN_HOUR_MS)).toBe(1);
      await expectOneCharge(stage);
      expect(stage.upstream.callsFor(call.question)).toBe(2);
    });
  });
});

function isAnsweredOrInProgress(outcome: Outcome): boolean {
  if (outcome.status === 'refused') return outcome.code === 409 && outcome.reason === 'idempotency_in_progress';
  return outcome.status === 'answered';
}

async function repeatWhileInProgress(stage: Stage, gateway: GatewayProcess, call: Call) {
  for (let refusals = 0; refusals < MAX_POLLS; refusals += 1) {
    const outcome = await stage.call(gateway, call);
    if (outcome.status !== 'refused' || outcome.code !== 409) return { outcome, refusals };
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`the claim still holds after ${MAX_POLLS * POLL_MS} ms`);
}

async function expectOneCharge(stage: Stage): Promise<void> {
  const { problems, charges, organizationTotals } = await stage.check();
  expect(problems).toEqual({});
  expect(charges).toHaveLength(1);
  expect(organizationTotals.get('acme')).toEqual({ credits: PLENTY, usage: PRICE, held: 0n });
}

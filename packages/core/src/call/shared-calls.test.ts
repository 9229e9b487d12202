import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../base/errors/request-error.js';
import type { HoldRequest, Ledger } from '../ledger/ledger.js';
import type { AnswerPlan, AnswerRequest, RequestContext } from './answer.js';
import type { AnswerStrategy, HeldAnswer } from './answer-strategy.js';
import { createRateLimitCache } from './rate-limit-cache.js';
import { createSharedCalls } from './shared-calls.js';

const REFUSED = new RequestError('concurrency_limited', { details: { scope: 'key', limit: 1 } });
const HELD: HeldAnswer = { amount: 7n };

const BUDGET = { limit: 9n, usage: 6n, required: 4n, resetsAtMs: null };

/** Calls with the same question. A test decides how the hold of each call that asks providers ends. @param budget of calls that join. */
function start({ budget = 1_000n, fitsWithoutHolds = false } = {}) {
  const clock = createFakeClock();
  const held: HoldRequest[] = [];
  const hold = (request: HoldRequest) => {
    held.push(request);
    const fits = request.amount <= budget;
    const refused = { status: 'refused', by: 'key_limit', ...BUDGET, fitsWithoutHolds };
    return Promise.resolve(fits ? { status: 'held', amount: request.amount } : refused);
  };
  const holding = {
    ledger: { hold } as unknown as Ledger,
    logger: { warn: () => undefined, error: () => undefined },
    refusals: createRateLimitCache(clock),
    indeterminateHolds: { release: () => undefined },
    limitsOf: () => ({}),
    budgetRefused: () => undefined,
  };
  const calls = createSharedCalls({ holding, clock, sharedPrice: 500_000_000n });
  const asked: { end: (result: HeldAnswer | Error) => void; request: AnswerRequest }[] = [];
  const ask = ({ request }: AnswerPlan): AnswerStrategy => ({
    hold: () =>
      new Promise((resolve, reject) => {
        const end = (result: HeldAnswer | Error) => (result instanceof Error ? reject(result) : resolve(result));
        asked.push({ end, request });
      }),
    deliver: () => new Promise(() => undefined),
  });
  const route = { candidates: [{ model: { slug: 'exa/answer' } }] };
  const call = (isDisconnected = () => false) => {
    const plan = { request: { apiKey: { organizationId: 'acme' }, isDisconnected }, route } as unknown as AnswerPlan;
    const context = { joined: false, upstreamMs: 0 } as RequestContext;
    const placeHold = async () => calls.strategy({ key: 'same', plan, context, ask }).hold('hold');
    return {
      context,
      outcome: placeHold()
        .then(({ amount }) => amount)
        .catch((error: unknown) => error),
    };
  };
  return { call, asked, held, settle: () => clock.advance(0) };
}

describe('calls with the same question', () => {
  it('hold their share of the first call’s amount, without a slot', async () => {
    const { call, asked, held } = start();
    const [first, second] = [call(), call()];
    asked[0]?.end(HELD);
    expect([await first.outcome, await second.outcome]).toEqual([7n, 4n]);
    expect(held).toMatchObject([{ amount: 4n, usesSlot: false, model: 'exa/answer' }]);
    expect([first.context.joined, second.context.joined]).toEqual([false, true]);
  });

  it.each([false, true])(
    'ask providers themselves when their budget does not cover the first amount',
    async (fitsWithoutHolds) => {
      const { call, asked, held, settle } = start({ budget: 3n, fitsWithoutHolds });
      const [first, second, third] = [call(), call(), call()];
      asked[0]?.end(HELD);
      await settle();
      expect([held.length, asked.length]).toEqual([2, 3]);
      asked[1]?.end({ amount: 2n });
      const refusal = new RequestError('key_limit_reached', { details: { ...BUDGET, limitReset: null } });
      asked[2]?.end(refusal);
      expect(await Promise.all([first, second, third].map(({ outcome }) => outcome))).toEqual([7n, 2n, refusal]);
      expect([second.context.joined, asked[1]?.request.isDisconnected()]).toEqual([false, false]);
    },
  );

  it('wait for the holds of three other calls, then ask providers themselves', async () => {
    const { call, asked, settle } = start();
    const calls = Array.from({ length: 6 }, () => call());
    for (const refused of [0, 1, 2]) {
      expect(asked).toHaveLength(refused + 1);
      asked[refused]?.end(REFUSED);
      await settle();
    }
    expect(asked).toHaveLength(6);
    for (const { end } of asked) end(HELD);
    expect(await Promise.all(calls.map(({ outcome }) => outcome))).toEqual([REFUSED, REFUSED, REFUSED, 7n, 7n, 7n]);
  });

  it('ask providers themselves when the first call names a budget too many', async () => {
    const { call, asked, settle } = start();
    const [first, second] = [call(), call()];
    const refusal = new RequestError('too_many_budgets');
    asked[0]?.end(refusal);
    await settle();
    asked[1]?.end(HELD);
    expect(await Promise.all([first.outcome, second.outcome])).toEqual([refusal, 7n]);
  });

  it('end without a hold when their caller has gone away before it', async () => {
    const { call, asked, held } = start();
    const caller = { isGone: false };
    const [first, second] = [call(() => true), call(() => caller.isGone)];
    caller.isGone = true;
    asked[0]?.end(HELD);
    expect(await first.outcome).toBe(7n);
    expect(await second.outcome).toMatchObject({ reason: 'client_closed_request' });
    expect(held).toEqual([]);
    expect(asked[0]?.request.isDisconnected()).toBe(true);
  });
});

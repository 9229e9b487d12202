import { describe, expect, it } from 'vitest';
import type { AnswerOutcome } from '../src/provider-kit/index.js';
import { failure, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

const costing = (reported: bigint): AnswerOutcome => ({ ...OUTCOME, cost: { reported } });

/** Asks a model `times` questions in parallel. @returns the number of answers. */
async function answeredOf(ask: (model: string) => Promise<unknown>, times: number): Promise<number> {
  const reasons = await Promise.all(Array.from({ length: times }, () => reasonOf(ask('exa/answer'))));
  return reasons.filter((reason) => reason === 'answered').length;
}

describe('the known cost of a model', () => {
  it('is held if the provider exceeds a flat price', async () => {
    const { ask, totals } = start([scripted('exa', [costing(50_000_000n)]).provider], { limit: null, credits: '2.05' });
    await ask('exa/answer');
    // Room for 40 calls of 0.05.
    expect(await answeredOf(ask, 200)).toBe(40);
    expect(await totals()).toMatchObject({ usage: 2_050_000_000n, held: 0n });
  });

  it('is not held if the host has fixed the price', async () => {
    const { ask, totals } = start([scripted('exa', [costing(50_000_000n)]).provider], {
      models: { 'exa/answer': { price: '0.005' } },
      limit: '0.055',
    });
    await ask('exa/answer');
    expect(await answeredOf(ask, 100)).toBe(10);
    expect((await totals()).key).toBe(55_000_000n);
  });
});

describe('an implausible report', () => {
  it('is not charged: the caller pays the flat price, and the rest is a loss', async () => {
    const { ask, totals, kinds, events, gateway } = start([scripted('exa', [costing(9_999_000_000_000n)]).provider]);
    expect((await ask('exa/answer')).usage.cost).toBe(0.005);
    expect((await ask('exa/answer')).usage.cost).toBe(0.005);
    expect((await totals()).usage).toBe(10_000_000n);
    expect(await kinds()).toEqual([
      ['grant', 10_000_000_000n],
      ['loss', 9_998_995_000_000n],
      ['charge', 5_000_000n],
      ['loss', 9_998_995_000_000n],
      ['charge', 5_000_000n],
    ]);
    await gateway.close();
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'cost_implausible', reported: 9_999_000_000_000n, charged: 5_000_000n }),
    );
  });

  it('of a failed attempt is not a loss, and the hold still ends', async () => {
    const failed = failure('upstream_rejected', { cost: 2n ** 70n });
    const { ask, totals, kinds } = start([scripted('exa', [failed]).provider]);
    expect(await reasonOf(ask('exa/answer'))).toBe('upstream_rejected');
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    expect(await kinds()).toEqual([['grant', 10_000_000_000n]]);
  });
});

describe('a failed attempt that reports its usage', () => {
  const PRICE = { typical: '0.001', ceiling: '0.01', perMillionInputTokens: '2', perSearch: '0.005' };
  const usage = { inputTokens: 1_000, searches: 1 };

  it.each<[string, AnswerOutcome | Error]>([
    ['an error of the adapter', failure('upstream_rejected', { usage })],
    ['an outcome without text', { ...OUTCOME, text: ' ', cost: { usage } }],
    ['an invalid outcome', { ...OUTCOME, citations: [{ url: 1 as unknown as string }], cost: { usage } }],
  ])('is a loss at the rates of its price: %s', async (_what, reply) => {
    const { ask, kinds } = start([scripted('exa', [reply], PRICE).provider], { maxAttempts: 1 });
    expect(await reasonOf(ask('exa/answer'))).not.toBe('answered');
    expect(await kinds()).toContainEqual(['loss', 7_000_000n]);
  });
});

describe('a call that costs more than its hold', () => {
  const OVER = costing(12_000_000n);

  it('is charged its true cost by default', async () => {
    const { ask, totals, kinds } = start([scripted('exa', [OVER]).provider], { limit: '0.005' });
    expect((await ask('exa/answer')).usage.cost).toBe(0.012);
    expect((await totals()).key).toBe(12_000_000n);
    expect(await kinds()).toContainEqual(['charge', 12_000_000n]);
  });

  it('is charged the held amount if the operator absorbs the rest, which is a loss', async () => {
    const { ask, totals, ledger } = start([scripted('exa', [OVER]).provider], { limit: '0.005', overrun: 'absorb' });
    expect((await ask('exa/answer')).usage.cost).toBe(0.005);
    expect((await totals()).key).toBe(5_000_000n);
    const loss = { kind: 'loss', amount: 7_000_000n, provider: 'exa', model: 'exa/answer', reason: 'cost_absorbed' };
    expect((await ledger.entries({ keyId: 'key' })).entries).toContainEqual(expect.objectContaining(loss));
  });

  it('never overdraws a budget if the operator absorbs the rest, whatever the costs', async () => {
    let calls = 0n;
    const dearer = () => Promise.resolve(costing(4_000_000n + (calls += 1n) * 1_000_000n));
    const { ask, totals } = start([scripted('exa', [dearer]).provider], { limit: '0.05', overrun: 'absorb' });
    for (let round = 0; round < 20; round += 1) await answeredOf(ask, 10);
    const { key, held } = await totals();
    expect(held).toBe(0n);
    expect(key <= 50_000_000n).toBe(true);
    expect(key > 40_000_000n).toBe(true);
  });
});

describe('a price that changes during a call', () => {
  it('is charged as at the time of the hold', async () => {
    let finish: (outcome: AnswerOutcome) => void = () => undefined;
    const exa = scripted('exa', [() => new Promise<AnswerOutcome>((resolve) => (finish = resolve)), OUTCOME]);
    const later = { kind: 'flat', request: '0.5', validFrom: '2026-11-22', source: 'test' } as const;
    const [model] = exa.provider.models;
    const prices = [...(model?.prices ?? []), { ...later, asOf: '2026-11-21', confidence: 'high' as const }];
    const provider = { ...exa.provider, models: [{ ...model!, prices }] };
    const { ask, clock } = start([provider]);
    await clock.advance(24 * 3_600_000 - 1_000);
    const before = ask('exa/answer');
    await clock.advance(2_000);
    finish(OUTCOME);
    expect((await before).usage.cost).toBe(0.005);
    expect((await ask('exa/answer')).usage.cost).toBe(0.5);
  });
});

describe('a budget with room for some of the candidates', () => {
  const fallbacks = { 'exa/answer': ['dear/answer', 'middle/answer'] };
  const providers = (reply: AnswerOutcome | Error) => {
    const exa = scripted('exa', [reply], { request: '0.001' });
    const dear = scripted('dear', [OUTCOME], { request: '0.90' });
    const middle = scripted('middle', [OUTCOME], { request: '0.10' });
    return { exa, dear, middle, all: [exa.provider, dear.provider, middle.provider] };
  };

  it('serves a cheap model although its fallback is too expensive', async () => {
    const { all } = providers(OUTCOME);
    const { ask, totals } = start(all, { credits: '0.50', limit: null, fallbacks });
    expect(await ask('exa/answer')).toMatchObject({ model: 'exa/answer', usage: { cost: 0.001 } });
    expect(await totals()).toMatchObject({ usage: 1_000_000n, held: 0n });
  });

  it('does not ask a candidate above the budget', async () => {
    const { dear, middle, all } = providers(failure('upstream_error'));
    const { ask, totals } = start(all, { credits: '0.50', limit: null, fallbacks });
    expect(await ask('exa/answer')).toMatchObject({ model: 'middle/answer' });
    expect([dear.calls.length, middle.calls.length]).toEqual([0, 1]);
    expect(await totals()).toMatchObject({ usage: 100_000_000n, held: 0n });
  });

  it('holds for the dearest candidate that fits, so that parallel calls cannot overspend', async () => {
    const { all } = providers(failure('upstream_error'));
    const { ask, totals } = start(all, { credits: '0.50', limit: null, fallbacks });
    const reasons = await Promise.all(Array.from({ length: 20 }, () => reasonOf(ask('exa/answer'))));
    const { usage, credits } = await totals();
    expect(reasons.filter((reason) => reason === 'answered')).toHaveLength(5);
    expect(usage <= credits).toBe(true);
  });

  it('refuses by the cheapest candidate when none fits', async () => {
    const { all } = providers(OUTCOME);
    const { ask } = start(all, { credits: '0.0009', limit: null, fallbacks });
    await expect(ask('exa/answer')).rejects.toMatchObject({
      reason: 'organization_credits_exhausted',
      details: { required: 1_000_000n },
    });
  });
});

import { createFakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assembleGateway } from '../src/gateway.js';
import { type AnswerEvent, isRequestError, memoryApiKeys, memoryLedger } from '../src/index.js';
import { playUntilSeen, zerosOf } from './play-until-seen.js';
import { PROVIDERS, playedProviders, script } from './played-providers.js';
import { KEY, reasonOf } from './scripted-gateway.js';

/** One call, and the time when its caller hangs up. */
const call = fc.record({
  model: fc.constantFrom(...PROVIDERS),
  gapMs: fc.nat(6_000),
  streams: fc.boolean(),
  patienceMs: fc.option(fc.nat(20_000), { nil: undefined }),
});

const limits = fc.record({
  maxConcurrent: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  rateLimit: fc.option(
    fc.record({ requests: fc.integer({ min: 1, max: 3 }), periodMs: fc.nat(5_000).map((ms) => ms + 1) }),
    { nil: undefined },
  ),
  maxQueueMs: fc.nat(3_000),
});

describe('the money of hedged calls', () => {
  it('adds up: the providers’ bills equal charges plus losses, and nothing stays held', async () => {
    const history = fc.record({
      scripts: fc.array(script, { maxLength: 40, size: 'max' }),
      calls: fc.array(call, { minLength: 1, maxLength: 12, size: 'max' }),
      limits: fc.array(limits, { minLength: 3, maxLength: 3 }),
      afterMs: fc.integer({ min: 1, max: 3_000 }),
      closesAtMs: fc.option(fc.nat(30_000), { nil: undefined }),
    });
    const seen = { hedged: 0, limited: 0, answered: 0 };
    const histories = fc.asyncProperty(history, async ({ scripts, calls, afterMs, closesAtMs, ...given }) => {
      const clock = createFakeClock();
      const { providers, spend, most } = playedProviders(clock, scripts);
      const ledger = memoryLedger({ credits: { acme: '1.00' }, clock });
      const hedge = { afterMs, maxExtraCost: '1' };
      const gateway = assembleGateway(
        {
          providers: providers.map((provider, index) => ({ ...provider, limits: given.limits[index] })),
          ledger,
          apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: '0.50' }]),
          fallbacks: { 'exa/answer': ['you/answer', 'kagi/answer'], 'you/answer': ['kagi/answer'] },
          hedging: {
            maxShare: 1,
            'exa/answer': { ...hedge, with: 'you/answer' },
            'you/answer': { ...hedge, with: 'kagi/answer' },
          },
          drainTimeoutMs: 2_000,
          expireHoldsEveryMs: 0,
          clock,
          logger: { warn: () => undefined, error: () => undefined },
          onEvent: (event) => {
            if (event.type === 'attempt_finished' && event.outcome === 'hedged') seen.hedged += 1;
            if (event.type === 'provider_slot_refused') seen.limited += 1;
          },
        },
        { random: () => 0.5 },
      );
      const ended: Promise<unknown>[] = [];
      let nowMs = 0;
      if (closesAtMs !== undefined) clock.schedule(closesAtMs, () => ended.push(gateway.close()));
      for (const { model, gapMs, streams, patienceMs } of calls) {
        const caller = new AbortController();
        if (patienceMs !== undefined) clock.schedule(patienceMs, () => caller.abort());
        const asked = { apiKey: KEY, model: `${model}/answer`, query: 'When?', signal: caller.signal };
        const answered = streams ? readAll(gateway.answerStream(asked)) : gateway.answer(asked);
        ended.push(answered.then(() => (seen.answered += 1), ofRequest));
        await clock.advance(gapMs);
        nowMs += gapMs;
      }
      await clock.advance(120_000);
      await Promise.all(ended);
      // Every slot was freed.
      for (const id of PROVIDERS) {
        const last = reasonOf(gateway.answer({ apiKey: KEY, model: `${id}/answer`, query: 'When?' }));
        await clock.advance(60_000);
        expect(await last).not.toBe('upstream_rate_limited');
      }
      const closed = gateway.close();
      await clock.advance(10_000);
      await closed;

      const { entries } = await ledger.entries({ organizationId: 'acme' });
      const sumOf = (kind: string) =>
        entries.reduce(
          (sum, entry) => (entry.kind === kind ? sum + (entry.amount < 0n ? -entry.amount : entry.amount) : sum),
          0n,
        );
      expect(spend).toMatchObject({ billed: sumOf('charge') + sumOf('loss'), underWay: 0 });
      PROVIDERS.forEach((id, index) =>
        expect(most[id] ?? 0).toBeLessThanOrEqual(given.limits[index]?.maxConcurrent ?? Infinity),
      );
      expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: sumOf('charge'), held: 0n });
      expect(await ledger.keyTotals('key')).toMatchObject({ usage: sumOf('charge'), held: 0n });
    });
    await playUntilSeen(
      () => fc.assert(histories, { numRuns: 150 }),
      () => zerosOf(seen),
    );
  });
});

/** Reads a stream of one model to its end. @throws the error that it ends with. */
async function readAll(events: AsyncIterable<AnswerEvent>): Promise<void> {
  let text = '';
  for await (const event of events) {
    if (event.type === 'error') throw event.error;
    if (event.type === 'delta') text += event.text;
    if (event.type === 'done' && event.answer.answer !== text) throw new Error(`${text} was streamed before the whole`);
  }
}

/** Calls may end with any expected error, but with no other. */
function ofRequest(error: unknown): void {
  if (!isRequestError(error)) throw error;
}

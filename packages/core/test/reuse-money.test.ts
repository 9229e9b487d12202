import fc from 'fast-check';
import { describe, it } from 'vitest';
import { isRequestError, memoryApiKeys } from '../src/index.js';
import type { LedgerEntry } from '../src/ledger/index.js';
import { playUntilSeen, zerosOf } from './play-until-seen.js';
import { failure, OUTCOME, scripted, start, whileAdvancing } from './scripted-gateway.js';

const KEYS = ['first', 'second', 'third'].map((name) => `${name}-secret-of-twenty-characters`);
const ORGANIZATIONS = ['acme', 'acme', 'globex'];

/** One call: time, caller, question, and time of hanging up. */
const step = fc.record({
  // Often at the same moment, so that calls overlap.
  afterMs: fc.oneof(fc.constant(0), fc.nat(1_500)),
  who: fc.nat(2),
  query: fc.constantFrom('a', ' a', 'b'),
  cache: fc.constantFrom(undefined, undefined, undefined, 'refresh' as const, 'off' as const),
  streams: fc.boolean(),
  hangsUpAfterMs: fc.option(fc.nat(2_500)),
});

/** The script of a provider's attempt, and its bill. */
const reply = fc.record({
  takesMs: fc.nat(2_000),
  // A report above 20 times the price is not believed, and the excess is a loss.
  cost: fc.oneof(fc.integer({ min: 1, max: 9_000_000 }), fc.integer({ min: 90_000_000, max: 200_000_000 })),
  fails: fc.constantFrom(
    null,
    null,
    'upstream_error' as const,
    'query_rejected' as const,
    'upstream_rejected' as const,
  ),
});

const options = fc.record({
  cache: fc.option(fc.record({ ttlMs: fc.constantFrom(1_000, 60_000), price: fc.constantFrom('0', '0.3', '1') }), {
    nil: undefined,
  }),
  coalescing: fc.oneof(fc.boolean(), fc.record({ sharedPrice: fc.constantFrom('0', '0.3', '1') })),
  markup: fc.constantFrom('1', '1.37'),
  overrun: fc.constantFrom('charge' as const, 'absorb' as const),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
});

const history = fc.record({
  options,
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
  replies: fc.array(reply, { minLength: 1, maxLength: 12 }),
});
type History = typeof history extends fc.Arbitrary<infer H> ? H : never;

/** Plays a history to its end. */
async function play({ options: chosen, steps, replies }: History) {
  let billed = 0n;
  let attempts = 0;
  const waits: ((callback: () => void, ms: number) => void)[] = [];
  const answer = () => {
    const { takesMs, cost, fails } = replies[(attempts += 1) % replies.length] ?? { takesMs: 0, cost: 1, fails: null };
    const reported = BigInt(cost);
    billed += reported;
    return new Promise<typeof OUTCOME>((resolve, reject) => {
      waits[0]?.(() => {
        if (fails === null) resolve({ ...OUTCOME, cost: { reported } });
        else reject(failure(fails, { cost: reported }));
      }, takesMs);
    });
  };
  const providers = [scripted('exa', [answer]).provider, scripted('you', [answer]).provider];
  const running = start(providers, {
    ...chosen,
    fallbacks: { 'exa/answer': ['you/answer'] },
    apiKeys: memoryApiKeys(
      KEYS.map((apiKey, index) => ({
        apiKey,
        id: `key-${index}`,
        label: 'demo',
        organizationId: ORGANIZATIONS[index] ?? '',
        limit: index === 1 ? '0.03' : null,
      })),
    ),
    credits: '0.10',
    defaultLimits: { keys: { maxConcurrent: 3 }, organizations: { rateLimit: { requests: 8, periodMs: 5_000 } } },
  });
  const { gateway, clock, ledger } = running;
  waits.push((callback, ms) => clock.schedule(ms, callback));
  await ledger.grant({ grantId: 'globex', organizationId: 'globex', amount: 60_000_000n, note: '' });
  const delivered: { id: string; cost: number }[] = [];
  const calls: Promise<void>[] = [];
  for (const { afterMs, who, query, cache, streams, hangsUpAfterMs } of steps) {
    await whileAdvancing(clock, clock.advance(afterMs), 0);
    const caller = new AbortController();
    if (hangsUpAfterMs !== null) clock.schedule(hangsUpAfterMs, () => caller.abort());
    const apiKey = KEYS[who] ?? '';
    const asked = { apiKey, model: 'exa/answer', query, cache, signal: caller.signal };
    const call = async () => {
      if (!streams) {
        const { id, usage } = await gateway.answer(asked);
        delivered.push({ id, cost: usage.cost });
        return;
      }
      for await (const event of gateway.answerStream(asked))
        if (event.type === 'done') delivered.push({ id: event.answer.id, cost: event.answer.usage.cost });
    };
    calls.push(
      call().catch((error: unknown) => {
        if (!isRequestError(error) || error.reason === 'internal_error') throw error;
      }),
    );
  }
  await whileAdvancing(clock, Promise.all(calls));
  await whileAdvancing(clock, gateway.close());
  const { entries } = await ledger.entries({ limit: 1_000 });
  return { ...running, entries, delivered, billed };
}

function sum(entries: readonly LedgerEntry[], amountOf: (entry: LedgerEntry) => bigint): bigint {
  return entries.reduce((total, entry) => total + amountOf(entry), 0n);
}

describe('money, with shared and cached answers', () => {
  it('agrees in counters, log and bills, whatever happens', async () => {
    const seen = { cached: 0, shared: 0, loss: 0 };
    const histories = fc.asyncProperty(history, async (chosen) => {
      const { ledger, entries, delivered, billed, logged } = await play(chosen);
      const charges = entries.filter((entry) => entry.kind === 'charge');
      const owed = sum(entries, (entry) => {
        if (entry.kind === 'loss') return entry.amount;
        return entry.kind === 'charge' ? (entry.upstreamCost ?? 0n) : 0n;
      });
      equal(owed, billed, 'what providers bill');
      for (const organizationId of new Set(ORGANIZATIONS)) {
        const { usage, held } = await ledger.organizationTotals(organizationId);
        equal(held, 0n, 'held');
        const own = charges.filter((entry) => entry.organizationId === organizationId);
        equal(
          usage,
          sum(own, ({ amount }) => amount),
          `usage of ${organizationId}`,
        );
      }
      for (const { id, cost } of delivered) {
        const charge = charges.find((entry) => entry.id === id);
        equal(charge?.amount, BigInt(Math.round(cost * 1e9)), `charge of ${id}`);
      }
      equal(new Set(delivered.map(({ id }) => id)).size, delivered.length, 'ids');
      equal(logged.join(), '', 'log');
      seen.cached += charges.filter(({ costSource }) => costSource === 'cached').length;
      seen.shared += charges.filter(({ costSource }) => costSource === 'shared').length;
      seen.loss += entries.filter(({ kind }) => kind === 'loss').length;
    });
    await playUntilSeen(
      () => fc.assert(histories, { numRuns: 150 }),
      () => zerosOf(seen),
    );
  });
});

function equal<T>(found: T, expected: T, what: string): void {
  if (found !== expected) throw new Error(`${what}: found ${String(found)}, expected ${String(expected)}`);
}

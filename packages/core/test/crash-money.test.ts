import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { createFakeClock, type FakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Clock } from '../src/base/time/clock.js';
import { assembleGateway } from '../src/gateway.js';
import { type GatewayOptions, isRequestError, memoryApiKeys, memoryLedger } from '../src/index.js';
import type { Ledger, LedgerEntry } from '../src/ledger/index.js';
import type { Provider } from '../src/provider-kit/index.js';
import { playUntilSeen, zerosOf } from './play-until-seen.js';
import { PROVIDERS, playedProviders, script } from './played-providers.js';
import { whileAdvancing } from './scripted-gateway.js';

const KEYS = ['first', 'second'].map((name) => `${name}-secret-of-twenty-characters`);
const NEVER = new Promise<never>(() => undefined);
/** One for all histories, disposed at the end: in Node 20 each instance tracks every promise, including those of later files. */
const callOf = new AsyncLocalStorage<number>();
afterAll(() => callOf.disable());

/** A process that can be killed: afterwards nothing happens in it, and nothing returns to it. */
class Process {
  isKilled = false;

  clock(clock: FakeClock): Clock {
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      // A timer keeps the call that it belongs to.
      schedule: (delayMs, callback) => {
        const bound = AsyncResource.bind(callback);
        return clock.schedule(delayMs, () => this.isKilled || bound());
      },
    };
  }

  ledger(ledger: Ledger): Ledger {
    return new Proxy(ledger, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => (this.isKilled ? NEVER : (Reflect.apply(member, target, given) as unknown));
      },
    });
  }

  provider(provider: Provider): Provider {
    const { answer, stream } = provider.answer!;
    return {
      ...provider,
      answer: {
        answer: (...given) => (this.isKilled ? NEVER : answer(...given)),
        stream: (...given) => (this.isKilled || stream === undefined ? NEVER : stream(...given)),
      },
    };
  }
}

const call = fc.record({
  who: fc.nat(1),
  model: fc.constantFrom(...PROVIDERS),
  query: fc.constantFrom('a', 'a', 'b'),
  gapMs: fc.oneof(fc.constant(0), fc.nat(6_000)),
  streams: fc.boolean(),
  patienceMs: fc.option(fc.nat(20_000), { nil: undefined }),
});

const history = fc.record({
  scripts: fc.array(script, { maxLength: 40, size: 'max' }),
  calls: fc.array(call, { minLength: 1, maxLength: 14, size: 'max' }),
  /** After this many calls the process is killed and another takes over. */
  killedAfter: fc.nat(14),
  hedgeAfterMs: fc.integer({ min: 1, max: 3_000 }),
  cache: fc.option(fc.record({ ttlMs: fc.constantFrom(1_000, 60_000), price: fc.constantFrom('0', '0.3') }), {
    nil: undefined,
  }),
  coalescing: fc.boolean(),
  fallsBack: fc.boolean(),
});
type History = typeof history extends fc.Arbitrary<infer H> ? H : never;

/** Plays a history to its end. */
async function play({ scripts, calls, killedAfter, hedgeAfterMs, fallsBack, ...options }: History) {
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const { providers, spend } = playedProviders(clock, scripts, () => callOf.getStore());
  const ledger = memoryLedger({ credits: { acme: '0.20' }, clock });
  const finished = new Set<unknown>();
  const callsByRequest = new Map<string, unknown>();
  let hedged = 0;
  const hedge = { afterMs: hedgeAfterMs, maxExtraCost: '1' };
  // Events arrive later and in batches, so the call of a request is recorded here.
  const newId = () => {
    const id = `id-${callsByRequest.size}`;
    callsByRequest.set(`req_${id}`, callOf.getStore());
    return id;
  };
  const boot = (process: Process) =>
    assembleGateway(
      {
        providers: providers.map((provider) => process.provider(provider)),
        ledger: process.ledger(ledger),
        apiKeys: memoryApiKeys(
          KEYS.map((apiKey, index) => ({
            apiKey,
            id: `key-${index}`,
            label: 'demo',
            organizationId: 'acme',
            limit: null,
          })),
        ),
        hedging: {
          maxShare: 1,
          'exa/answer': { ...hedge, with: 'you/answer' },
          'you/answer': { ...hedge, with: 'kagi/answer' },
        },
        fallbacks: fallsBack ? { 'exa/answer': ['kagi/answer'] } : {},
        ...(options as Pick<GatewayOptions, 'cache' | 'coalescing'>),
        clock: process.clock(clock),
        logger: { warn: () => undefined, error: () => undefined },
        onEvent: (event) => {
          if (event.type === 'request_finished') finished.add(callsByRequest.get(event.requestId));
          if (event.type === 'attempt_finished' && event.outcome === 'hedged') hedged += 1;
        },
      },
      { random: () => 0.5, newId },
    );

  let process = new Process();
  let gateway = boot(process);
  const delivered: { id: string; cost: number }[] = [];
  const ended: Promise<unknown>[] = [];
  const lost = new Set<unknown>();
  for (const [index, { who, model, query, gapMs, streams, patienceMs }] of calls.entries()) {
    if (index === killedAfter) {
      process.isKilled = true;
      for (let earlier = 0; earlier < index; earlier += 1) if (!finished.has(earlier)) lost.add(earlier);
      process = new Process();
      gateway = boot(process);
    }
    const caller = new AbortController();
    if (patienceMs !== undefined) clock.schedule(patienceMs, () => caller.abort());
    const asked = { apiKey: KEYS[who] ?? '', model: `${model}/answer`, query, signal: caller.signal };
    const ask = async () => {
      if (!streams) return gateway.answer(asked);
      for await (const event of gateway.answerStream(asked)) if (event.type === 'done') return event.answer;
      return undefined;
    };
    ended.push(
      callOf.run(index, ask).then(
        (answer) => answer && delivered.push({ id: answer.id, cost: answer.usage.cost }),
        (error: unknown) => {
          if (!isRequestError(error) || error.reason === 'internal_error') throw error;
        },
      ),
    );
    await clock.advance(gapMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Longer than the longest hold: the other process now releases the killed process's holds.
  await clock.advance(600_000);
  await whileAdvancing(clock, Promise.all(ended.filter((_, index) => !lost.has(index))));
  await whileAdvancing(clock, gateway.close());
  const { entries } = await ledger.entries({ limit: 1_000 });
  let atRisk = 0n;
  for (const index of lost) atRisk += spend.byCall.get(index) ?? 0n;
  return { ledger, entries, delivered, spend, atRisk, lost, hedged };
}

function sum(entries: readonly LedgerEntry[], amountOf: (entry: LedgerEntry) => bigint): bigint {
  return entries.reduce((total, entry) => total + amountOf(entry), 0n);
}

describe('money, with hedged, shared and cached answers and a killed process', () => {
  it('agrees in counters, log and bills, except for calls lost with their process', async () => {
    const seen = { hedged: 0, cached: 0, shared: 0, lost: 0 };
    const histories = fc.asyncProperty(history, async (given) => {
      const { ledger, entries, delivered, spend, atRisk, lost, hedged } = await play(given);
      const charges = entries.filter((entry) => entry.kind === 'charge');
      const owed = sum(entries, (entry) => {
        if (entry.kind === 'loss') return entry.amount;
        return entry.kind === 'charge' ? (entry.upstreamCost ?? 0n) : 0n;
      });
      expect(owed <= spend.billed && owed >= spend.billed - atRisk).toBe(true);
      const usage = sum(charges, ({ amount }) => amount);
      expect(await ledger.organizationTotals('acme')).toMatchObject({ usage, held: 0n });
      for (const keyId of ['key-0', 'key-1']) {
        const own = charges.filter((charge) => charge.keyId === keyId);
        expect(await ledger.keyTotals(keyId)).toMatchObject({ usage: sum(own, ({ amount }) => amount), held: 0n });
      }
      const charged = new Map(charges.map(({ id, amount }) => [id, amount]));
      for (const { id, cost } of delivered) expect(charged.get(id)).toBe(BigInt(Math.round(cost * 1e9)));
      expect(new Set(delivered.map(({ id }) => id)).size).toBe(delivered.length);
      seen.hedged += hedged;
      seen.lost += lost.size;
      for (const { costSource } of charges)
        if (costSource === 'cached' || costSource === 'shared') seen[costSource] += 1;
    });
    await playUntilSeen(
      () => fc.assert(histories, { numRuns: 50 }),
      () => zerosOf(seen),
    );
  });
});

import {
  formatUsd,
  type GatewayOptions,
  isRequestError,
  type Ledger,
  memoryApiKeys,
  memoryLedger,
  type NanoUsd,
} from '@searchgate/core';
import { type AnswerOutcome, type Provider, UpstreamError } from '@searchgate/core/provider-kit';
import { createFakeClock, type FakeClock } from '@searchgate/testing';
import { assembleGateway } from '../../../../packages/core/src/gateway.js';
import { seededRandom } from '../seeded-random.js';
import { DAY_MS, drawDay, type ProviderDay, type ProviderProfile } from './provider-day.js';

interface DayProvider {
  readonly provider: Provider;
  /** The sum of its bills so far. */
  billed(): NanoUsd;
}

/** The deadline of every model. */
const DEADLINE_MS = 20_000;
const SOURCE = { source: 'https://example.org/pricing', asOf: '2026-11-22', confidence: 'high' } as const;

/** A provider that follows its day. An aborted request is billed at the usual price, as the gateway assumes. */
function dayProvider(profile: ProviderProfile, replyAt: ProviderDay, clock: FakeClock): DayProvider {
  const startMs = clock.now();
  const usual = formatUsd(profile.price);
  let billed = 0n;

  function answer(signal: AbortSignal): Promise<AnswerOutcome> {
    const { afterMs, failure, cost: bill } = replyAt(clock.now() - startMs);
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (cost: NanoUsd, settle: () => void) => {
        if (isOver) return;
        isOver = true;
        billed += cost;
        settle();
      };
      const reply = () =>
        end(bill, () => {
          if (failure === null) resolve({ text: 'It opened in 2021.', citations: [], cost: { reported: bill } });
          else reject(new UpstreamError(failure.reason, { ...failure.options, cost: bill }));
        });
      if (Number.isFinite(afterMs)) clock.schedule(afterMs, reply);
      const breakOff = () => reject(new UpstreamError('upstream_timeout', { phase: 'body' }));
      signal.addEventListener('abort', () => end(profile.price, breakOff));
    });
  }

  const provider: Provider = {
    id: profile.id,
    name: profile.id,
    models: [
      {
        slug: `${profile.id}/answer`,
        name: profile.id,
        description: 'Lives through a simulated day.',
        prices: [{ ...SOURCE, kind: 'dynamic', typical: usual, ceiling: formatUsd(profile.price * 2n) }],
        features: [],
        contextLength: null,
        timeoutMs: DEADLINE_MS,
      },
    ],
    answer: { answer: (_call, { signal }) => answer(signal) },
  };
  return { provider, billed: () => billed };
}

export const PROFILES: readonly ProviderProfile[] = [
  { id: 'first', price: 5_000_000n, usualMs: 2_000 },
  { id: 'second', price: 8_000_000n, usualMs: 1_500 },
  { id: 'third', price: 6_000_000n, usualMs: 2_500 },
];

/** A call of the day, in order of time. */
interface Arrival {
  readonly atMs: number;
  readonly organizationId: string;
}

/** The options of the host, and the model or group of the callers. */
export interface Configuration extends Partial<GatewayOptions> {
  readonly asks: string;
}

export interface DayResult {
  readonly calls: number;
  /** Durations of answered calls, ascending. */
  readonly durationsMs: readonly number[];
  /** How often calls failed, by reason. */
  readonly failures: ReadonlyMap<string, number>;
  /** Sum of all providers' bills. */
  readonly billed: NanoUsd;
  readonly ledger: Ledger;
  /** Timers left after the gateway was closed and every deadline had passed. */
  readonly timersLeft: number;
}

export const ORGANIZATIONS = ['acme', 'globex', 'initech'] as const;
/** Mean gap; half of all gaps are below 7 s. */
const MEAN_GAP_MS = 10_000;

/** Share of calls that a provider answers within the deadline if it is asked directly and once. */
export function aloneShare(seed: number, index: number): number {
  const replyAt = dayOf(seed, index);
  const calls = drawArrivals(seed);
  const answered = calls.filter(({ atMs }) => {
    const { afterMs, failure } = replyAt(atMs);
    return failure === null && afterMs < DEADLINE_MS;
  });
  return answered.length / calls.length;
}

/** Simulates the day of a gateway. The same seed gives the same day for every configuration. */
export async function simulateDay(seed: number, { asks, ...options }: Configuration): Promise<DayResult> {
  const clock = createFakeClock();
  const providers = PROFILES.map((profile, index) => dayProvider(profile, dayOf(seed, index), clock));
  const ledger = memoryLedger({ credits: creditsOf('10000'), maxEntries: 1_000_000, clock });
  const given: GatewayOptions = {
    providers: providers.map(({ provider }) => provider),
    ledger,
    apiKeys: memoryApiKeys(ORGANIZATIONS.map((id) => ({ apiKey: keyOf(id), id, label: id, organizationId: id }))),
    markup: '1.25',
    clock,
    logger: { warn: () => undefined, error: () => undefined },
    ...options,
  };
  // Randomizes pauses before retries, and probes of latency routing.
  const gateway = assembleGateway(given, { random: seededRandom(seed).next });
  const answer = ({ organizationId }: Arrival) =>
    gateway.answer({ apiKey: keyOf(organizationId), model: asks, query: 'When did it open?' });
  const calls = drawArrivals(seed);
  const ended = await play(clock, calls, answer);
  const closed = gateway.close();
  await clock.advance(60_000);
  await closed;
  const billed = providers.reduce((sum, provider) => sum + provider.billed(), 0n);
  return { ...ended, calls: calls.length, billed, ledger, timersLeft: clock.pendingTimers };
}

/** Makes each call at its time, regardless of earlier calls. */
async function play(clock: FakeClock, calls: readonly Arrival[], answer: (call: Arrival) => Promise<unknown>) {
  const durationsMs: number[] = [];
  const failures = new Map<string, number>();
  const startMs = clock.now();
  const begin = async (call: Arrival) => {
    const begunMs = clock.monotonic();
    try {
      await answer(call);
      durationsMs.push(clock.monotonic() - begunMs);
    } catch (error) {
      if (!isRequestError(error)) throw error;
      failures.set(error.reason, (failures.get(error.reason) ?? 0) + 1);
    }
  };
  const begun: Promise<void>[] = [];
  for (const call of calls) {
    await clock.advance(startMs + call.atMs - clock.now());
    begun.push(begin(call));
  }
  await clock.advance(PROFILES.length * DEADLINE_MS);
  await Promise.all(begun);
  return { durationsMs: durationsMs.sort((a, b) => a - b), failures };
}

function drawArrivals(seed: number): readonly Arrival[] {
  const random = seededRandom(seed);
  const arrivals: Arrival[] = [];
  const gapMs = () => Math.ceil(-MEAN_GAP_MS * Math.log(1 - random.next()));
  for (let atMs = gapMs(); atMs < DAY_MS; atMs += gapMs()) {
    arrivals.push({ atMs, organizationId: random.pick(ORGANIZATIONS) });
  }
  return arrivals;
}

/** Seeds are further apart than the milliseconds of a day: each moment of each provider has a unique seed. */
function dayOf(seed: number, index: number) {
  const profile = PROFILES[index];
  if (profile === undefined) throw new Error(`there is no provider ${index}`);
  return drawDay(profile, seed + (index + 1) * 2 * DAY_MS);
}

const keyOf = (organizationId: string) => `a-secret-of-twenty-characters-${organizationId}`;
const creditsOf = (amount: string) => Object.fromEntries(ORGANIZATIONS.map((id) => [id, amount]));

import { createFakeClock, type FakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UpstreamReason } from '../base/errors/reasons.js';
import { type CircuitBreaker, type CircuitPermit, createCircuitBreaker } from './circuit-breaker.js';

const THRESHOLD = 3;
const COOLDOWN_MS = 30_000;
const ORGANIZATIONS = ['acme', 'globex', 'initech'] as const;
const DISPUTED: readonly UpstreamReason[] = ['upstream_timeout', 'upstream_invalid_response'];
const CERTAIN: readonly UpstreamReason[] = ['upstream_error', 'upstream_unreachable', 'upstream_rate_limited'];

type Step =
  | { readonly do: 'enter'; readonly organization: string }
  | { readonly do: 'end'; readonly which: number; readonly reason: UpstreamReason | 'answered' }
  | { readonly do: 'wait'; readonly ms: number };

const steps = (reasons: readonly UpstreamReason[]) => {
  const enter = fc.record({ do: fc.constant('enter' as const), organization: fc.constantFrom(...ORGANIZATIONS) });
  const reason = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...reasons) },
    { weight: 1, arbitrary: fc.constantFrom('answered' as const, 'query_rejected' as const) },
  );
  const end = fc.record({ do: fc.constant('end' as const), which: fc.nat(20), reason });
  const wait = fc.record({
    do: fc.constant('wait' as const),
    ms: fc.constantFrom(1, 1_000, COOLDOWN_MS),
  });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: enter },
    { weight: 6, arbitrary: end },
    { weight: 1, arbitrary: wait },
  );
  return fc.array(step, { maxLength: 80, size: 'max' });
};

/** What an observer outside knows of one provider. */
interface Observed {
  readonly health: CircuitBreaker;
  readonly clock: FakeClock;
  readonly inFlight: CircuitPermit[];
  /** Failures since the last success, in the order they ended. */
  failures: { readonly organization: string; readonly reason: UpstreamReason }[];
  /** Failures of each organization that say something about the provider, since its own last success. */
  readonly ownFailures: Map<string, number>;
  /** Whether the provider was paused for all at some time. */
  wasPausedForAll: boolean;
}

function observe(): Observed {
  const clock = createFakeClock();
  const health = createCircuitBreaker({
    failureThreshold: THRESHOLD,
    cooldownMs: COOLDOWN_MS,
    clock,
    emit(event) {
      if (event.type === 'provider_paused' && event.organizationId === null) seen.wasPausedForAll = true;
    },
  });
  const seen: Observed = {
    health,
    clock,
    inFlight: [],
    failures: [],
    ownFailures: new Map(),
    wasPausedForAll: false,
  };
  return seen;
}

/** @param culprit the only organization whose attempts fail, where one is given. */
async function play(seen: Observed, step: Step, culprit?: string): Promise<void> {
  const { health, clock, inFlight } = seen;
  if (step.do === 'wait') {
    await clock.advance(step.ms);
    return;
  }
  if (step.do === 'enter') {
    const entry = health.enter('exa', step.organization);
    if (entry === null) return;
    inFlight.push(entry);
    return;
  }
  const [entry] = inFlight.splice(step.which % Math.max(1, inFlight.length), 1);
  if (entry === undefined) return;
  const isSpared = culprit !== undefined && entry.organizationId !== culprit && step.reason !== 'answered';
  endAttempt(seen, entry, isSpared ? 'query_rejected' : step.reason);
}

function endAttempt(seen: Observed, entry: CircuitPermit, reason: UpstreamReason | 'answered'): void {
  if (reason === 'answered') {
    seen.failures = [];
    seen.ownFailures.delete(entry.organizationId);
    seen.health.succeeded(entry);
    expect(seen.health.pausedForMs('exa', entry.organizationId)).toBe(0);
    expect(seen.health.statusOf('exa').state).toBe('serving');
    return;
  }
  const organization = entry.organizationId;
  seen.failures.push({ organization, reason });
  if (reason !== 'query_rejected') seen.ownFailures.set(organization, (seen.ownFailures.get(organization) ?? 0) + 1);
  seen.health.failed(entry, { reason, retryAfterMs: null });
}

/** Plays a history and checks a rule after every step. */
const always = (reasons: readonly UpstreamReason[], rule: (seen: Observed) => void, culprit?: string) =>
  fc.assert(
    fc.asyncProperty(steps(reasons), async (history) => {
      const seen = observe();
      for (const step of history) {
        await play(seen, step, culprit);
        rule(seen);
      }
    }),
    { numRuns: 500 },
  );

const pausedFor = ({ health }: Observed) => ORGANIZATIONS.filter((name) => health.pausedForMs('exa', name) > 0);
const blamed = ({ failures }: Observed) =>
  new Set(failures.filter(({ reason }) => DISPUTED.includes(reason)).map(({ organization }) => organization));

describe('over any history of several organizations', () => {
  it('failures that only one organization may have caused never pause the provider for another organization', () =>
    always(DISPUTED, (seen) => expect(pausedFor(seen).filter((name) => name !== 'acme')).toEqual([]), 'acme'));

  it('enough failures of an organization pause the provider for it, whatever happens to the others', () =>
    fc.assert(
      fc.asyncProperty(steps([...DISPUTED, ...CERTAIN]), fc.constantFrom(...DISPUTED), async (history, reason) => {
        const seen = observe();
        for (const step of history) await play(seen, step);
        await seen.clock.advance(2 * COOLDOWN_MS);
        for (let count = 0; count < THRESHOLD; count += 1) {
          const other = seen.health.enter('exa', 'globex');
          if (other !== null) seen.health.succeeded(other);
          const entry = seen.health.enter('exa', 'acme');
          if (entry !== null) seen.health.failed(entry, { reason, retryAfterMs: null });
        }
        expect(pausedFor(seen)).toContain('acme');
        expect(seen.health.pausedForMs('exa', 'globex')).toBe(0);
      }),
    ));

  it('nothing else pauses the provider for a single organization', () =>
    always([...DISPUTED, ...CERTAIN], (seen) => {
      const { state, pausedForOrganizationIds } = seen.health.statusOf('exa');
      if (state !== 'serving' || seen.wasPausedForAll) return;
      const ownFailures = pausedForOrganizationIds.map((name) => seen.ownFailures.get(name) ?? 0);
      expect(Math.min(...ownFailures, THRESHOLD)).toBe(THRESHOLD);
    }));

  it('a provider is paused for all only by enough failures since its last success', () =>
    always([...DISPUTED, ...CERTAIN], (seen) => {
      if (seen.health.statusOf('exa').state !== 'paused') return;
      const certain = seen.failures.filter(({ reason }) => CERTAIN.includes(reason)).length;
      expect(seen.failures.length).toBeGreaterThanOrEqual(THRESHOLD);
      expect(certain >= THRESHOLD || blamed(seen).size >= 2).toBe(true);
    }));

  it('failures that no caller can cause pause the provider for all', () =>
    fc.assert(
      fc.asyncProperty(steps(DISPUTED), fc.constantFrom(...CERTAIN), async (history, reason) => {
        const seen = observe();
        for (const step of history) await play(seen, step);
        for (let count = 0; count < THRESHOLD; count += 1) {
          const [entry] = ORGANIZATIONS.flatMap((name) => seen.health.enter('exa', name) ?? []);
          if (entry !== undefined) seen.health.failed(entry, { reason, retryAfterMs: null });
        }
        expect(pausedFor(seen)).toEqual([...ORGANIZATIONS]);
      }),
    ));

  it('every pause ends: after at most two cool-downs each organization can ask again', () =>
    fc.assert(
      fc.asyncProperty(steps([...DISPUTED, ...CERTAIN]), fc.constantFrom(...ORGANIZATIONS), async (history, name) => {
        const seen = observe();
        for (const step of history) await play(seen, step);
        await seen.clock.advance(2 * COOLDOWN_MS);
        expect(seen.health.enter('exa', name)).not.toBeNull();
      }),
    ));
});

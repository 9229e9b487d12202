import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { UpstreamReason } from '../base/errors/reasons.js';
import type { GatewayEvent } from '../base/events/events.js';
import { type CircuitPermit, createCircuitBreaker, createConsecutiveFailures } from './circuit-breaker.js';

const CERTAIN = [
  'upstream_auth_failed',
  'upstream_quota_exhausted',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_unreachable',
] as const;
const DISPUTED = ['upstream_timeout', 'upstream_invalid_response'] as const;

function start(failureThreshold = 3) {
  const clock = createFakeClock();
  const events: GatewayEvent[] = [];
  const health = createCircuitBreaker({
    failureThreshold,
    cooldownMs: 30_000,
    clock,
    emit: (event) => events.push(event),
  });
  const enter = (organization = 'acme'): CircuitPermit => {
    const entry = health.enter('exa', organization);
    if (entry === null) throw new Error(`${organization} may not enter`);
    return entry;
  };
  const fail = (times: number, reason: UpstreamReason = 'upstream_error', organization = 'acme'): void => {
    for (let count = 0; count < times; count += 1) health.failed(enter(organization), { reason, retryAfterMs: null });
  };
  const paused = (organization = 'acme') => health.pausedForMs('exa', organization);
  return { clock, events, health, enter, fail, paused };
}

describe('the circuit breaker', () => {
  it('pauses a provider after consecutive failures, for the cool-down', () => {
    const { health, fail, paused, events, clock } = start();
    fail(2);
    expect(paused()).toBe(0);
    fail(1);
    expect([paused('acme'), paused('globex')]).toEqual([30_000, 30_000]);
    expect(health.enter('exa', 'globex')).toBeNull();
    expect(events).toEqual([
      {
        type: 'provider_paused',
        atMs: clock.now(),
        provider: 'exa',
        organizationId: null,
        reason: 'upstream_error',
        untilMs: clock.now() + 30_000,
      },
    ]);
  });

  it('starts counting again after a success', () => {
    const { health, enter, fail, paused } = start();
    fail(2);
    health.succeeded(enter());
    fail(2);
    expect(paused()).toBe(0);
  });

  it('counts each provider separately', () => {
    const { health, fail } = start();
    fail(3);
    expect(health.enter('perplexity', 'acme')).not.toBeNull();
  });

  it.each(CERTAIN)('counts %s, which no caller can cause, for every caller', (reason) => {
    const { fail, paused } = start();
    fail(3, reason);
    expect([paused('acme'), paused('globex')]).toEqual([30_000, 30_000]);
  });

  it.each(['query_rejected', 'no_answer_found', 'upstream_rejected', 'no_such_reason' as UpstreamReason] as const)(
    'never counts %s',
    (reason) => {
      const { fail, paused } = start(1);
      fail(20, reason, 'acme');
      fail(20, reason, 'globex');
      expect([paused('acme'), paused('globex')]).toEqual([0, 0]);
    },
  );

  it('pauses a provider that limits our rate for as long as it asks, up to the cool-down', () => {
    const { health, enter, paused } = start(1);
    health.failed(enter(), { reason: 'upstream_rate_limited', retryAfterMs: 4_000 });
    expect(paused()).toBe(4_000);
    const other = start(1);
    other.health.failed(other.enter(), { reason: 'upstream_rate_limited', retryAfterMs: 90_000 });
    expect(other.paused()).toBe(30_000);
  });

  it('pauses a provider with other failures for the whole cool-down, whatever it asks for', () => {
    const { health, enter, paused } = start(1);
    health.failed(enter(), { reason: 'upstream_error', retryAfterMs: 4_000 });
    expect(paused()).toBe(30_000);
  });

  it('emits no event for a success without a pause', () => {
    const { health, enter, events } = start();
    health.succeeded(enter());
    expect(events).toEqual([]);
  });
});

describe.each(DISPUTED)('%s, which a caller may have caused', (reason) => {
  it('pauses the provider only for the organization with the failures, however well the others are served', async () => {
    const { fail, paused, events, clock, health, enter } = start();
    for (let count = 0; count < 3; count += 1) {
      health.succeeded(enter('globex'));
      fail(1, reason, 'acme');
    }
    expect([paused('acme'), paused('globex')]).toEqual([30_000, 0]);
    expect(events).toMatchObject([{ type: 'provider_paused', organizationId: 'acme', reason }]);
    await clock.advance(30_000);
    fail(1, reason, 'acme');
    expect([paused('acme'), paused('globex')]).toEqual([30_000, 0]);
    health.succeeded(enter('globex'));
    expect([paused('acme'), paused('globex')]).toEqual([30_000, 0]);
    await clock.advance(30_000);
    health.succeeded(enter('acme'));
    expect([paused('acme'), paused('globex')]).toEqual([0, 0]);
    expect(events.at(-1)).toMatchObject({ type: 'provider_resumed', organizationId: 'acme' });
  });

  it('counts for the organization together with failures that no caller can cause', () => {
    const { fail, paused } = start();
    fail(2, reason, 'acme');
    fail(1, 'upstream_error', 'acme');
    expect([paused('acme'), paused('globex')]).toEqual([30_000, 0]);
  });

  it('counts only since the last success of the organization', () => {
    const { health, enter, fail, paused } = start();
    fail(2, reason, 'acme');
    health.succeeded(enter('acme'));
    fail(2, reason, 'acme');
    expect(paused('acme')).toBe(0);
  });

  it('from an attempt before the end of its pause does not count', async () => {
    const { health, enter, fail, paused, clock } = start();
    const late = [enter(), enter(), enter()];
    fail(3, reason, 'acme');
    await clock.advance(30_000);
    health.succeeded(enter('acme'));
    for (const entry of late) health.failed(entry, { reason, retryAfterMs: null });
    expect(paused('acme')).toBe(0);
    // At the same moment as the end.
    fail(3, reason, 'acme');
    expect(paused('acme')).toBe(30_000);
  });

  it('of a bounded number of organizations pauses the provider for each', () => {
    const { fail, paused, health } = start(2);
    const organizations = Array.from({ length: 1_002 }, (_, index) => `organization-${index}`);
    // Each success of another one keeps the provider in use for all.
    for (const organization of organizations)
      for (let count = 0; count < 2; count += 1) {
        fail(1, reason, organization);
        const other = health.enter('exa', 'globex');
        if (other !== null) health.succeeded(other);
      }
    expect(organizations.filter((organization) => paused(organization) === 0)).toEqual(organizations.slice(0, 2));
    expect(health.statusOf('exa').pausedForOrganizationIds).toEqual(organizations.slice(2));
  });

  it('permits one probe of the paused organization at a time', async () => {
    const { fail, health, enter, clock, paused } = start();
    fail(3, reason, 'acme');
    await clock.advance(30_000);
    enter('acme');
    expect([health.enter('exa', 'acme'), paused('acme')]).toEqual([null, 1_000]);
  });

  it('does not extend its pause by calls that were running when it began', async () => {
    const { fail, health, enter, clock, paused } = start();
    const late = enter('acme');
    fail(3, reason, 'acme');
    await clock.advance(10_000);
    health.failed(late, { reason, retryAfterMs: null });
    expect(paused('acme')).toBe(20_000);
  });

  it('counts from several organizations, each for at most half', () => {
    const { fail, paused } = start(4);
    fail(1, reason, 'globex');
    fail(4, reason, 'acme');
    expect([paused('acme'), paused('globex'), paused('initech')]).toEqual([30_000, 0, 0]);
    fail(1, reason, 'globex');
    expect([paused('acme'), paused('globex'), paused('initech')]).toEqual([30_000, 30_000, 30_000]);
  });

  it('counts however many organizations there are', () => {
    const { fail, paused } = start(200);
    for (let each = 0; each < 116; each += 1) fail(1, reason, `organization-${each}`);
    fail(83, reason, 'organization-0');
    expect(paused('acme')).toBe(0);
    fail(1, reason, 'organization-1');
    expect(paused('acme')).toBe(30_000);
  });
});

describe('a pause', () => {
  it('permits one probe at its end, and no other call until the probe ends', async () => {
    const { health, fail, paused, enter, clock } = start();
    fail(3);
    await clock.advance(30_000);
    enter('acme');
    expect([health.enter('exa', 'acme'), health.enter('exa', 'globex')]).toEqual([null, null]);
    expect(paused()).toBe(1_000);
  });

  it('ends after a successful probe', async () => {
    const { health, fail, paused, enter, clock, events } = start();
    fail(3);
    await clock.advance(30_000);
    health.succeeded(enter());
    expect(paused()).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(['provider_paused', 'provider_resumed']);
  });

  it('begins again at once after a failed probe', async () => {
    const { fail, paused, clock, events } = start();
    fail(3);
    await clock.advance(30_000);
    fail(1);
    expect(paused()).toBe(30_000);
    expect(events.map(({ type }) => type)).toEqual(['provider_paused', 'provider_paused']);
  });

  it('permits the next probe after a probe without a verdict', async () => {
    const { fail, enter, clock } = start();
    fail(3);
    await clock.advance(30_000);
    fail(1, 'query_rejected');
    expect(enter()).toMatchObject({ account: 'exa' });
  });

  it('begins again only for the organization that may have caused the failure of its probe', async () => {
    const { health, fail, paused, enter, clock, events } = start();
    fail(3, 'upstream_error', 'initech');
    await clock.advance(30_000);
    fail(1, 'upstream_timeout', 'acme');
    expect([paused('acme'), paused('globex')]).toEqual([30_000, 0]);
    health.succeeded(enter('globex'));
    expect(paused('acme')).toBe(0);
    // The pause for all was the longer one.
    expect(events.at(-1)).toMatchObject({ type: 'provider_resumed', organizationId: null });
  });

  it('begins again for all when the probes of two organizations fail', async () => {
    const { fail, paused, clock } = start();
    fail(3);
    await clock.advance(30_000);
    fail(1, 'upstream_timeout', 'acme');
    fail(1, 'upstream_timeout', 'globex');
    expect([paused('acme'), paused('globex'), paused('initech')]).toEqual([30_000, 30_000, 30_000]);
  });

  it('is not extended by calls that were running when it began, and has one probe', async () => {
    const { health, fail, paused, enter, clock } = start();
    const late = [enter(), enter('globex')];
    fail(3);
    await clock.advance(10_000);
    for (const entry of late) health.failed(entry, { reason: 'upstream_error', retryAfterMs: null });
    expect(paused()).toBe(20_000);

    const other = start();
    const slow = other.enter();
    other.fail(3);
    await other.clock.advance(30_000);
    other.enter();
    other.health.failed(slow, { reason: 'upstream_error', retryAfterMs: null });
    expect(other.health.enter('exa', 'acme')).toBeNull();
    expect(other.paused()).toBe(1_000);
  });

  it('ends when a call that was running when it began succeeds', () => {
    const { health, fail, paused, enter } = start();
    const slow = enter('globex');
    fail(3);
    health.succeeded(slow);
    expect([paused('acme'), paused('globex')]).toEqual([0, 0]);
  });

  it('ignores calls that began before it', () => {
    const { health, fail, paused, enter } = start();
    const late = [enter(), enter(), enter()];
    const answered = enter();
    fail(3);
    health.succeeded(answered);
    for (const entry of late) health.failed(entry, { reason: 'upstream_error', retryAfterMs: null });
    expect(paused()).toBe(0);
  });

  it('permits another probe if a probe has not ended within a cool-down', async () => {
    const { health, fail, enter, clock } = start();
    fail(3);
    await clock.advance(30_000);
    enter('acme');
    await clock.advance(29_999);
    expect(health.enter('exa', 'globex')).toBeNull();
    await clock.advance(1);
    health.succeeded(enter('globex'));
    expect(health.pausedForMs('exa', 'acme')).toBe(0);
  });

  it('for one organization becomes a pause for all when the provider fails for several', () => {
    const { fail, paused, events } = start();
    fail(3, 'upstream_timeout', 'acme');
    fail(3, 'upstream_error', 'globex');
    expect([paused('acme'), paused('globex')]).toEqual([30_000, 30_000]);
    expect(events.map((event) => 'organizationId' in event && event.organizationId)).toEqual(['acme', null]);
  });

  it('ignores an attempt that the gateway ended, and permits the next probe at once', async () => {
    const { health, enter, fail, paused, clock } = start();
    fail(2);
    health.abandoned(enter());
    fail(1);
    expect(paused()).toBe(30_000);
    await clock.advance(30_000);
    const probe = enter();
    expect(health.enter('exa', 'globex')).toBeNull();
    health.abandoned(probe);
    expect(health.enter('exa', 'globex')).not.toBeNull();
  });
});

const organizations = (count: number) => Array.from({ length: count }, (_, index) => `organization-${index}`);

describe('consecutive failures', () => {
  it('count sixteen organizations separately, and all others as one', () => {
    const failures = createConsecutiveFailures();
    for (const name of organizations(18)) failures.add('upstream_timeout', name);
    failures.add('upstream_timeout', 'organization-15');
    expect(failures.againstAll(2)).toBe(17);
    expect(failures.againstAll(4)).toBe(16 + 1 + 2);
  });

  it('are cleared together', () => {
    const failures = createConsecutiveFailures();
    for (const name of organizations(2)) failures.add('upstream_timeout', name);
    failures.add('upstream_error', 'organization-0');
    failures.clear();
    expect(failures.againstAll(4)).toBe(0);
  });
});

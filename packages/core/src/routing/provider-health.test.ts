import { describe, expect, it } from 'vitest';
import type { GatewayEvent } from '../events.js';
import { createFakeClock } from '../testing/fake-clock.js';
import { createProviderHealth } from './provider-health.js';

function start(failureThreshold = 3) {
  const clock = createFakeClock();
  const events: GatewayEvent[] = [];
  const health = createProviderHealth({
    failureThreshold,
    cooldownMs: 30_000,
    clock,
    emit: (event) => events.push(event),
  });
  const fail = (times: number): void => {
    for (let count = 0; count < times; count += 1) {
      health.tryEnter('exa');
      health.failed('exa', 'upstream_error');
    }
  };
  return { clock, events, health, fail };
}

describe('provider health', () => {
  it('pauses a provider after failures in a row, for the cool-down', () => {
    const { health, fail, events, clock } = start();
    fail(2);
    expect(health.pausedForMs('exa')).toBe(0);
    fail(1);
    expect(health.pausedForMs('exa')).toBe(30_000);
    expect(health.tryEnter('exa')).toBe(false);
    expect(events).toEqual([
      {
        type: 'provider_opened',
        atMs: clock.now(),
        provider: 'exa',
        reason: 'upstream_error',
        untilMs: clock.now() + 30_000,
      },
    ]);
  });

  it('starts counting anew after a success', () => {
    const { health, fail } = start();
    fail(2);
    health.succeeded('exa');
    fail(2);
    expect(health.pausedForMs('exa')).toBe(0);
  });

  it('judges each provider by itself', () => {
    const { health, fail } = start();
    fail(3);
    expect(health.tryEnter('perplexity')).toBe(true);
  });

  it.each(['query_rejected', 'no_answer_found', 'upstream_rejected', 'upstream_rate_limited'] as const)(
    'does not count %s',
    (reason) => {
      const { health } = start(1);
      health.tryEnter('exa');
      health.failed('exa', reason);
      expect(health.pausedForMs('exa')).toBe(0);
    },
  );

  it('lets one probe through after the cool-down, and nobody else meanwhile', async () => {
    const { health, fail, clock } = start();
    fail(3);
    await clock.advance(30_000);
    expect(health.tryEnter('exa')).toBe(true);
    expect(health.tryEnter('exa')).toBe(false);
    expect(health.pausedForMs('exa')).toBeGreaterThan(0);
  });

  it('is back in use after a probe that succeeds', async () => {
    const { health, fail, clock, events } = start();
    fail(3);
    await clock.advance(30_000);
    health.tryEnter('exa');
    health.succeeded('exa');
    expect(health.pausedForMs('exa')).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(['provider_opened', 'provider_closed']);
  });

  it('pauses again at once after a probe that fails', async () => {
    const { health, fail, clock, events } = start();
    fail(3);
    await clock.advance(30_000);
    fail(1);
    expect(health.pausedForMs('exa')).toBe(30_000);
    expect(events.map(({ type }) => type)).toEqual(['provider_opened', 'provider_opened']);
  });

  it('lets the next probe through when one ended without a verdict', async () => {
    const { health, fail, clock } = start();
    fail(3);
    await clock.advance(30_000);
    health.tryEnter('exa');
    health.failed('exa', 'query_rejected');
    expect(health.tryEnter('exa')).toBe(true);
  });

  it('does not lengthen the pause when late failures arrive', async () => {
    const { health, fail, clock } = start();
    fail(3);
    await clock.advance(10_000);
    health.failed('exa', 'upstream_timeout');
    expect(health.pausedForMs('exa')).toBe(20_000);
  });
});

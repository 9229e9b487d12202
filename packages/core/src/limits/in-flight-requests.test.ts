import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createInFlightRequests } from './in-flight-requests.js';

const SHUTTING_DOWN = expect.objectContaining({ reason: 'shutting_down', status: 503, retryAfterMs: 5_000 }) as Error;
const limits = { total: 2, perOrganization: 1 };

function start() {
  const clock = createFakeClock();
  return {
    clock,
    admission: createInFlightRequests({
      answers: limits,
      bodyReads: limits,
      longBodyReads: limits,
      maxUnsentBytes: 1,
      clock,
    }),
  };
}

describe('admission', () => {
  it('counts bodies that are waited for and answers apart', () => {
    const { admission } = start();
    admission.bodyReads.take('acme');
    expect(() => admission.answers.take('acme')).not.toThrow();
    expect(() => admission.answers.take('acme')).toThrow('as many requests as it accepts');
  });

  it('refuses new calls once it drains, and lets those under way go on', () => {
    const { admission } = start();
    admission.begin();
    void admission.drain(1_000);
    expect(() => admission.begin()).toThrow(SHUTTING_DOWN);
    expect(() => admission.answers.take('acme')).not.toThrow();
  });

  it('refuses calls under way their answer once it has stopped', () => {
    const { admission } = start();
    admission.begin();
    void admission.drain(1_000);
    admission.stop();
    expect(() => admission.answers.take('acme')).toThrow(SHUTTING_DOWN);
  });

  it('tells how many calls are under way, and whether new ones are refused', () => {
    const { admission } = start();
    admission.begin();
    admission.begin();
    admission.end();
    expect([admission.underWay, admission.isDraining]).toEqual([1, false]);
    void admission.drain(1_000);
    expect([admission.underWay, admission.isDraining]).toEqual([1, true]);
  });

  it('is drained when the last call has ended', async () => {
    const { clock, admission } = start();
    admission.begin();
    admission.begin();
    let drained = false;
    const draining = admission.drain(1_000).then(() => (drained = true));
    admission.end();
    await clock.advance(999);
    expect(drained).toBe(false);
    admission.end();
    await draining;
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits no longer than its limit', async () => {
    const { clock, admission } = start();
    admission.begin();
    const draining = admission.drain(1_000);
    await clock.advance(1_000);
    await draining;
    const again = admission.drain(500);
    admission.end();
    await again;
    expect(clock.pendingTimers).toBe(0);
  });

  it('is drained at once where nothing is under way', async () => {
    const { clock, admission } = start();
    await admission.drain(1_000);
    expect(clock.pendingTimers).toBe(0);
  });
});

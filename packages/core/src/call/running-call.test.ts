import { describe, expect, it } from 'vitest';
import { MAX_JOINED, RunningCall } from './running-call.js';

const here = () => ({ isDisconnected: () => false });
const gone = () => ({ isDisconnected: () => true });

describe('a running call', () => {
  it('is joined by a limited number of calls', () => {
    const call = new RunningCall(here());
    for (let joined = 0; joined < MAX_JOINED; joined += 1) {
      expect(call.isOpen).toBe(true);
      call.join(here());
    }
    expect(call.isOpen).toBe(false);
  });

  it('goes on while a caller waits, but not for a refused caller', () => {
    const call = new RunningCall(gone());
    const other = here();
    call.join(other);
    expect([call.isAbandoned(), call.isOpen]).toEqual([false, true]);
    call.leave(other);
    expect([call.isAbandoned(), call.isOpen]).toEqual([true, false]);
  });

  it('stays abandoned, even if another caller comes', () => {
    const call = new RunningCall(gone());
    expect(call.isAbandoned()).toBe(true);
    call.join(here());
    expect(call.isAbandoned()).toBe(true);
  });

  it('that fails before it begins has begun and ended with the reason, and a bug is an internal error', async () => {
    const call = new RunningCall(here());
    call.fail(new TypeError('x is undefined'));
    expect(await call.begun).toMatchObject({ status: 'failed', error: { reason: 'internal_error' } });
    expect(await call.ended).toMatchObject({ status: 'failed', losses: [] });
  });
});

import { describe, expect, it } from 'vitest';
import { createAdmission } from './admission.js';

describe('admission', () => {
  it('refuses calls over the limit and takes new ones when others leave', () => {
    const admission = createAdmission(2);
    const leave = admission.enter();
    admission.enter();
    expect(() => admission.enter()).toThrow(
      expect.objectContaining({ reason: 'overloaded', status: 503, retryAfterMs: 1_000 }),
    );
    leave();
    expect(() => admission.enter()).not.toThrow();
  });

  it('refuses everything once closing has begun', async () => {
    const admission = createAdmission(2);
    await admission.close();
    expect(() => admission.enter()).toThrow(expect.objectContaining({ reason: 'shutting_down', retryAfterMs: 5_000 }));
    expect(() => admission.requireOpen()).toThrow(expect.objectContaining({ reason: 'shutting_down' }));
  });

  it('is closed when the last call has left', async () => {
    const admission = createAdmission(2);
    const leave = [admission.enter(), admission.enter()];
    let closed = false;
    const closing = admission.close().then(() => (closed = true));
    leave[0]?.();
    await Promise.resolve();
    expect(closed).toBe(false);
    leave[1]?.();
    await closing;
    expect(closed).toBe(true);
  });
});

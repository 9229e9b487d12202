import { describe, expect, it } from 'vitest';
import { createSemaphore } from './semaphore.js';

const OVERLOADED = expect.objectContaining({ reason: 'overloaded', status: 503, retryAfterMs: 1_000 }) as Error;

describe('slots', () => {
  it('are taken up to their number, and again when others are given back', () => {
    const slots = createSemaphore({ total: 2, perOrganization: 2 });
    slots.take('acme');
    slots.take('globex');
    expect(() => slots.take('initech')).toThrow(OVERLOADED);
    slots.free('acme');
    expect(() => slots.take('initech')).not.toThrow();
  });

  it('are taken by one organization up to its share, which leaves the rest to others', () => {
    const slots = createSemaphore({ total: 4, perOrganization: 1 });
    slots.take('acme');
    expect(() => slots.take('acme')).toThrow(OVERLOADED);
    expect(() => slots.take('globex')).not.toThrow();
    slots.free('acme');
    expect(() => slots.take('acme')).not.toThrow();
  });

  it('are given back one by one', () => {
    const slots = createSemaphore({ total: 4, perOrganization: 2 });
    slots.take('acme');
    slots.take('acme');
    slots.free('acme');
    expect(() => slots.take('acme')).not.toThrow();
    expect(() => slots.take('acme')).toThrow(OVERLOADED);
  });

  it('that were refused are not counted', () => {
    const slots = createSemaphore({ total: 3, perOrganization: 1 });
    slots.take('acme');
    for (let refused = 0; refused < 5; refused += 1) expect(() => slots.take('acme')).toThrow(OVERLOADED);
    slots.take('globex');
    expect(() => slots.take('initech')).not.toThrow();
  });

  it('remember nothing of organizations that hold none', () => {
    const slots = createSemaphore({ total: 2, perOrganization: 1 });
    for (let round = 0; round < 3; round += 1) {
      for (let each = 0; each < 1_000; each += 1) {
        slots.take(`organization-${each}`);
        slots.free(`organization-${each}`);
      }
    }
    slots.take('acme');
    expect(() => slots.take('globex')).not.toThrow();
  });
});

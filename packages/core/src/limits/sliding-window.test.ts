import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSlidingWindow } from './sliding-window.js';

describe('a rate window', () => {
  it('says when the next one may begin', () => {
    const window = createSlidingWindow({ requests: 2, periodMs: 1_000 });
    expect(window.freeInMs(0)).toBe(0);
    window.add(0);
    window.add(400);
    expect([window.freeInMs(400), window.freeInMs(999), window.freeInMs(1_000)]).toEqual([600, 1, 0]);
    window.add(1_000);
    expect(window.freeInMs(1_000)).toBe(400);
  });

  it('never lets more begin than are allowed in any span of the period, and always the next one in time', () => {
    const limit = { requests: fc.integer({ min: 1, max: 5 }), periodMs: fc.integer({ min: 1, max: 50 }) };
    fc.assert(
      fc.property(fc.record(limit), fc.array(fc.nat(40), { maxLength: 60 }), ({ requests, periodMs }, pausesMs) => {
        const window = createSlidingWindow({ requests, periodMs });
        const beganAtMs: number[] = [];
        let nowMs = 0;
        for (const pauseMs of pausesMs) {
          nowMs += pauseMs;
          const recent = beganAtMs.filter((atMs) => atMs > nowMs - periodMs).length;
          expect(window.freeInMs(nowMs) === 0).toBe(recent < requests);
          if (window.freeInMs(nowMs) > 0) continue;
          window.add(nowMs);
          beganAtMs.push(nowMs);
        }
      }),
    );
  });
});

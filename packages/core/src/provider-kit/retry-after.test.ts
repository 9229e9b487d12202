import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from './retry-after.js';

const NOW_MS = Date.UTC(2026, 10, 21, 6, 0, 0);

function wait(headers: Record<string, string>, nowMs?: number): number | null {
  return retryAfterMs({ header: (name) => headers[name] }, nowMs);
}

describe('retryAfterMs', () => {
  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': ' 1.5 ' }, 1_500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '0.0001' }, 1],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    [{ 'retry-after': '86400' }, MAX_RETRY_AFTER_MS],
    [{ 'retry-after': '999999999999' }, MAX_RETRY_AFTER_MS],
  ])('reads %j', (headers, expected) => {
    expect(wait(headers)).toBe(expected);
  });

  it('compares a date with the date of the reply, whatever the local clock shows', () => {
    const headers = { date: 'Sat, 21 Nov 2026 06:00:00 GMT', 'retry-after': 'Sat, 21 Nov 2026 06:00:30 GMT' };
    expect(wait(headers)).toBe(30_000);
    expect(wait(headers, NOW_MS + 3_000_000)).toBe(30_000);
  });

  it('compares a date with the local clock when the reply has no date, and ignores it without a clock', () => {
    expect(wait({ 'retry-after': 'Sat, 21 Nov 2026 06:00:30 GMT' }, NOW_MS)).toBe(30_000);
    expect(wait({ 'retry-after': 'Sat, 21 Nov 2026 06:00:30 GMT' })).toBeNull();
  });

  it('reads a date in the past as no wait', () => {
    expect(wait({ 'retry-after': 'Fri, 20 Nov 2026 06:00:00 GMT' }, NOW_MS)).toBe(0);
  });

  it.each('|soon|-5|1e3|0x10|Infinity|5 apples|foo 2027|Sat, 99 Nov 2026 06:00:30 GMT|2026-11-21T06:00:30Z'.split('|'))(
    'reads %j as nothing',
    (garbage) => {
      expect(wait({ 'retry-after': garbage, 'retry-after-ms': garbage }, NOW_MS)).toBeNull();
    },
  );

  it('is null without any header', () => {
    expect(wait({}, NOW_MS)).toBeNull();
  });

  it('is null or within an hour for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), (text) => {
        const delayMs = wait({ 'retry-after': text }, NOW_MS) ?? 0;
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThanOrEqual(MAX_RETRY_AFTER_MS);
      }),
    );
  });
});

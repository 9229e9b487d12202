import { expect, it } from 'vitest';
import { cursorOf, placeOf, type RequestLog, type RequestRow } from './request-log.js';
import type { StatisticsQuery } from './request-statistics.js';
import { statisticsOfMinutes } from './statistics-of.js';

const END_MS = Date.UTC(2026, 10, 30, 12);
const ASKED: StatisticsQuery = {
  of: 'calls',
  step: 'minute',
  sinceMs: END_MS - 3_600_000,
  untilMs: END_MS,
  by: ['atMs'],
};

function callAt(atMs: number): RequestRow {
  const owner = { keyId: 'key-1', organizationId: 'acme', tag: null, budgets: [], byok: false };
  const asked = { endpoint: 'answer', modelAsked: null, model: 'exa/answer', provider: 'exa', attempted: [] } as const;
  const money = { cost: 1n, upstreamCost: null, loss: 0n };
  const times = { durationMs: 1, upstreamMs: 1, firstPartMs: null };
  const ended = { status: 200, reason: null, stream: false, cache: null, cause: null, rescued: false, attemptCount: 0 };
  return { requestId: `req_${atMs}`, answerId: null, atMs, ...owner, ...asked, ...money, ...times, ...ended };
}

/** Every 50 ms a call, up to a number of them. */
function findAmong(count: number): RequestLog['find'] {
  return async (_, { limit, cursor }) => {
    const first = cursor === undefined ? 0 : (END_MS - placeOf(cursor).atMs) / 50;
    const rows = Array.from({ length: Math.min(limit, count - first) }, (_row, at) =>
      callAt(END_MS - (first + at + 1) * 50),
    );
    const last = rows.at(-1);
    return Promise.resolve({ rows, nextCursor: last === undefined || first + limit >= count ? null : cursorOf(last) });
  };
}

it('counts the newest 50,000 calls, and says from which minute on none is missing', async () => {
  const most = await statisticsOfMinutes(findAmong(50_000), ASKED);
  expect(most.reduce((sum, { count }) => sum + count, 0)).toBe(50_000);
  expect(most.countedSinceMs).toBeUndefined();
  const cut = await statisticsOfMinutes(findAmong(50_001), ASKED);
  expect(cut.map(({ count }) => count)).toEqual(Array.from({ length: 41 }, () => 1_200));
  expect(cut.countedSinceMs).toBe(END_MS - 41 * 60_000);
  expect(cut.countedSinceMs).toBe(Math.min(...cut.map(({ atMs = 0 }) => atMs)));
  const none = await statisticsOfMinutes(findAmong(50_001), { ...ASKED, outcome: 'hedged' });
  expect([...none]).toEqual([]);
  expect(none.countedSinceMs).toBe(cut.countedSinceMs);
});

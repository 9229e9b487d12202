import type { Administration } from '@searchgate/core/administration';
import type { RequestRow } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { Performance, PerformanceSlot } from './contract.js';
import { isoTime, json, type Routes, readQuery } from './exchange.js';
import { logFilter } from './requests.js';

const HOUR_MS = 3_600_000;
const SLOTS = 24;
/** Most calls that are read: the newest, with a share for each organization. Of a longer time only this part is told. */
const MAX_CALLS = 5_000;
const MAX_GROUPS = 50;

export const performanceQuery = z.strictObject({
  by: z.enum(['model', 'provider']),
  hours: z.enum(['1', '24', '168']).default('24').transform(Number),
  organization: z.string().optional(),
});

type Call = Pick<RequestRow, 'atMs' | 'status' | 'durationMs' | 'cache'>;

/** Latencies and failures over time, of the newest calls in the request log: of all processes. */
export function performanceRoutes({ requests }: Administration): Routes {
  if (requests === null) return {};

  return {
    'api/v1/performance': {
      async GET(exchange) {
        const { by, hours, organization } = readQuery(exchange, performanceQuery);
        const { scope, clock } = exchange;
        const untilMs = clock.now();
        const fromMs = untilMs - hours * HOUR_MS;
        const { rows, isCut } = await requests.newest(logFilter(scope, { organization, since: fromMs }), MAX_CALLS);
        const sinceMs = (isCut && rows.at(-1)?.atMs) || fromMs;
        const groups = new Map<string, Call[]>();
        for (const row of rows) {
          const group = row[by];
          // A refused call says nothing about a model.
          if (group === null || (row.status >= 400 && row.status < 500)) continue;
          const calls = groups.get(group);
          if (calls === undefined) groups.set(group, [row]);
          else calls.push(row);
        }
        const largest = [...groups].sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_GROUPS);
        const performance: Performance = {
          by,
          since: isoTime(sinceMs),
          until: isoTime(untilMs),
          data: largest.map(([group, calls]) => ({
            group,
            ...figures(calls),
            slots: slotsOf(calls, sinceMs, untilMs),
          })),
        };
        return json(performance);
      },
    },
  };
}

function slotsOf(calls: readonly Call[], sinceMs: number, untilMs: number): PerformanceSlot[] {
  const slots = Array.from({ length: SLOTS }, (): Call[] => []);
  const widthMs = (untilMs - sinceMs) / SLOTS;
  for (const call of calls)
    slots[Math.min(SLOTS - 1, Math.max(0, Math.floor((call.atMs - sinceMs) / widthMs)))]?.push(call);
  return slots.map(figures);
}

function figures(calls: readonly Call[]): PerformanceSlot {
  // Answers from the cache ask no model.
  const asked = calls.filter(({ status, cache }) => status < 400 && cache !== 'hit');
  const latencies = asked.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return {
    calls: calls.length,
    failures: calls.filter(({ status }) => status >= 500).length,
    p50_ms: percentile(latencies, 0.5),
    p95_ms: percentile(latencies, 0.95),
  };
}

/** The smallest value with this share of values at or below it; `null` without values. */
export function percentile(sortedValues: ArrayLike<number>, share: number): number | null {
  return sortedValues[Math.max(0, Math.ceil(sortedValues.length * share) - 1)] ?? null;
}

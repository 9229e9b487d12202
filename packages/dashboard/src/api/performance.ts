import type { Administration } from '@searchgate/core/administration';
import { isFailed, quantileMs, STEPS_MS, type StatisticsRow } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { Performance, PerformanceSlot } from './contract.js';
import { isoTime, json, type Routes, readQuery } from './exchange.js';
import { logFilter } from './requests.js';

const MAX_GROUPS = 50;
/** They are of what a caller asked for, and tell nothing about a model. */
const OF_CALLERS: ReadonlySet<string> = new Set(['query_rejected', 'no_answer_found', 'no_page_extracted']);

export const performanceQuery = z.strictObject({
  by: z.enum(['model', 'provider']),
  hours: z.enum(['24', '168', '720']).default('24').transform(Number),
  organization: z.string().optional(),
});

/** Latencies and failures over time, of all attempts at models in the sums of the request log: of all processes, and of failures that another model made good. */
export function performanceRoutes({ requests }: Administration): Routes {
  if (requests === null) return {};

  return {
    'api/v1/performance': {
      async GET(exchange) {
        const { by, hours, organization } = readQuery(exchange, performanceQuery);
        const { organizations } = logFilter(exchange.scope, { organization });
        // A log gives a bounded number of sums: those of hours of a long time could be cut, and figures would be too small.
        const step = hours > 24 ? 'day' : 'hour';
        const slotMs = STEPS_MS[step];
        const untilMs = (Math.floor(exchange.clock.now() / slotMs) + 1) * slotMs;
        const sinceMs = untilMs - hours * STEPS_MS.hour;
        const asked = { of: 'attempts', step, sinceMs, untilMs, organizations } as const;
        const rows = await requests.statistics({ ...asked, by: [by, 'outcome', 'atMs'] });
        const length = (untilMs - sinceMs) / slotMs;
        const groups = grouped(rows, (row) => row[by] ?? '');
        const data = [...groups].map(([group, sums]) => {
          const slots = grouped(sums, ({ atMs = 0 }) => Math.floor((atMs - sinceMs) / slotMs));
          const parts = Array.from({ length }, (_, at) => figures(slots.get(at) ?? []));
          return { group, ...figures(sums), slots: parts };
        });
        const largest = data.sort((a, b) => b.calls - a.calls).slice(0, MAX_GROUPS);
        const performance: Performance = { by, since: isoTime(sinceMs), until: isoTime(untilMs), data: largest };
        return json(performance);
      },
    },
  };
}

/** As `Map.groupBy`, which Node has from 21 on. */
function grouped<T, Name>(all: readonly T[], nameOf: (each: T) => Name): ReadonlyMap<Name, readonly T[]> {
  const groups = new Map<Name, T[]>();
  for (const each of all) {
    const name = nameOf(each);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  return groups;
}

function figures(all: readonly StatisticsRow[]): PerformanceSlot {
  const rows = all.filter(({ outcome = '' }) => !OF_CALLERS.has(outcome) && outcome !== 'hedged');
  const [failed, answered] = [true, false].map((is) => rows.filter(({ outcome = '' }) => isFailed(outcome) === is));
  const countOf = (some: readonly StatisticsRow[] = []) => some.reduce((sum, { count }) => sum + count, 0);
  const durations = (answered ?? []).reduce<readonly number[]>(
    (sum, row) => row.durations.map((counted, at) => counted + (sum[at] ?? 0)),
    [],
  );
  return {
    calls: countOf(rows),
    failures: countOf(failed),
    rescued: (failed ?? []).reduce((sum, { rescued }) => sum + rescued, 0),
    p50_ms: quantileMs(durations, 0.5),
    p95_ms: quantileMs(durations, 0.95),
  };
}

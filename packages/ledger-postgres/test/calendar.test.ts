import { LIMIT_RESETS, limitWindowAt } from '@searchgate/core/ledger';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { migratedDatabase } from './migrated-database.js';

const database = migratedDatabase();
const FUNCTIONS = { daily: 'day_of', weekly: 'week_of', monthly: 'month_of' } as const;

it('finds the same days, weeks and months in SQL as everywhere else, whatever the time zone of the session', async () => {
  const edges = [0, 1, Date.UTC(2024, 1, 29), Date.UTC(2026, 0, 1) - 1, Date.UTC(2026, 0, 1), Date.UTC(2026, 10, 23)];
  const random = fc.sample(fc.integer({ min: 0, max: Date.UTC(2400, 0, 1) }), { numRuns: 500, seed: 1 });
  const times = [...edges, ...random];
  for (const zone of ['UTC', 'Pacific/Auckland', 'America/New_York']) {
    for (const reset of LIMIT_RESETS) {
      const [row] = await database().run(
        `WITH zone AS MATERIALIZED (SELECT set_config('TimeZone', $2, true))
        SELECT array_agg(searchgate.${FUNCTIONS[reset]}(at)::text ORDER BY number) AS starts
        FROM zone, unnest($1::int8[]) WITH ORDINALITY AS t (at, number)`,
        [times, zone],
      );
      expect(row?.['starts']).toEqual(times.map((time) => String(limitWindowAt(reset, time).startsAtMs)));
    }
  }
});

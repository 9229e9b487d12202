import type { Administration } from '@searchgate/core/administration';
import type { AuditRecord } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { ChangeRow, Page } from './contract.js';
import { isoTime, json, pageFields, type Routes, readQuery } from './exchange.js';
import { logFilter, time } from './requests.js';
import { toWire } from './wire-names.js';

export const changeQuery = z.strictObject({
  since: time.optional(),
  until: time.optional(),
  organization: z.string().optional(),
  key: z.string().optional(),
  actor: z.string().optional(),
  ...pageFields,
});

/** Who changed what: of the organizations that the user may see. */
export function changeRoutes({ changes }: Administration): Routes {
  if (changes === null) return {};
  return {
    'api/v1/changes': {
      async GET(exchange) {
        const { limit, cursor, ...filters } = readQuery(exchange, changeQuery);
        const { records, nextCursor } = await changes.find(logFilter(exchange.scope, filters), { limit, cursor });
        const body: Page<ChangeRow> = { data: records.map(wireOf), next_cursor: nextCursor };
        return json(body);
      },
    },
  };
}

function wireOf({ atMs, given, before, after, ...record }: AuditRecord): ChangeRow {
  const details = { given: toWire(given), before: before && toWire(before), after: after && toWire(after) };
  return { at: isoTime(atMs), ...toWire(record), ...details };
}

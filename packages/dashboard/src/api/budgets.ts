import type { Administration, BudgetView } from '@searchgate/core/administration';
import { formatUsd, LIMIT_RESETS } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { BudgetRow, Page } from './contract.js';
import { amount, type Exchange, isoTime, json, nothing, type Routes, readChange, readQuery } from './exchange.js';
import { pageQuery } from './organizations.js';
import { notFound } from './problem.js';
import { fromWire, toWire } from './wire-names.js';

export const newBudget = z.strictObject({
  limit: amount,
  limit_reset: z.enum(LIMIT_RESETS).nullable().optional(),
  mode: z.enum(['enforce', 'warn']).optional(),
});

/** The budgets of an organization that the user may see. */
export function budgetRoutes(administration: Administration): Routes {
  const { budgets } = administration;
  const inNameOf = ({ scope }: Exchange) => administration.as(scope.actor).budgets;

  /** @throws Problem 404. */
  async function seen({ scope, id, part }: Exchange): Promise<BudgetView> {
    scope.require(id);
    const budget = await budgets.get(id, part);
    if (budget === undefined) throw notFound();
    return budget;
  }

  return {
    'api/v1/organizations/*/budgets': {
      async GET(exchange) {
        const { scope, id } = exchange;
        scope.require(id);
        const query = readQuery(exchange, pageQuery);
        if ((await administration.organizations.get(id)) === undefined) throw notFound();
        const { items, nextCursor } = await budgets.list(id, query);
        const body: Page<BudgetRow> = { data: items.map(rowOf), next_cursor: nextCursor };
        return json(body);
      },
    },
    'api/v1/organizations/*/budgets/*': {
      GET: async (exchange) => json(rowOf(await seen(exchange))),
      async PUT(exchange) {
        const { scope, id: organizationId, part: id } = exchange;
        scope.require(organizationId);
        const fields = await readChange(exchange, newBudget);
        return json(rowOf(await inNameOf(exchange).set(organizationId, { id, ...fromWire(fields) })));
      },
      async DELETE(exchange) {
        if (exchange.request.header('content-type') !== undefined) await readChange(exchange, nothing);
        const { organizationId, id } = await seen(exchange);
        return json(rowOf(await inNameOf(exchange).delete(organizationId, id)));
      },
    },
  };
}

function rowOf({ id, limit, limitReset, mode, windowUsage, held, resetsAtMs, createdAtMs }: BudgetView): BudgetRow {
  return toWire({
    id,
    limit: formatUsd(limit),
    limitReset,
    mode,
    usage: formatUsd(windowUsage),
    held: formatUsd(held),
    limitRemaining: formatUsd(limit - windowUsage),
    resetsAt: resetsAtMs === null ? null : isoTime(resetsAtMs),
    createdAt: isoTime(createdAtMs),
  });
}

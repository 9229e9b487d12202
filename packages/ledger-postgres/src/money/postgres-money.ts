import {
  type HoldRecord,
  type KeyTotals,
  type LedgerEngine,
  type LimitReset,
  limitWindowAt,
  type RatesUsed,
} from '@searchgate/core/ledger';
import type { Batchers } from '../engine/batchers.js';
import type { Database } from '../engine/database.js';
import { expireHolds, forgetOld } from './expire-holds.js';
import { createHoldRoutes } from './hold-routes.js';
import {
  adjustOperation,
  admitOperation,
  grantOperation,
  holdOperation,
  type MoneyAnswer,
  type MoneyOperation,
  rateJson,
  releaseOperation,
  settleOperation,
} from './money-operations.js';
import { readEntries } from './read-entries.js';
import { readUsage } from './read-usage.js';

/** The operations that change money for one organization each: they go through its batcher. */
export function batchedOperations(
  batchers: Batchers<MoneyOperation['json'], MoneyAnswer>,
): Pick<LedgerEngine, 'grant' | 'adjust' | 'hold' | 'admit' | 'settle' | 'release'> {
  const routes = createHoldRoutes();

  async function apply<T>(route: string, { json, read }: MoneyOperation<T>): Promise<T> {
    return read(await batchers.submit(route, json));
  }

  return {
    grant: (grant) => apply(grant.organizationId, grantOperation(grant)),
    adjust: (adjustment) => apply(adjustment.organizationId, adjustOperation(adjustment)),
    async hold(request) {
      routes.add(request.holdId, request.organizationId);
      const result = await apply(request.organizationId, holdOperation(request));
      if (result.status === 'refused') routes.take(request.holdId);
      return result;
    },
    admit: (request) => apply(request.organizationId, admitOperation(request)),
    settle: (holdId, charge) => apply(routes.take(holdId), settleOperation(holdId, charge)),
    release: (holdId, release) => apply(routes.take(holdId), releaseOperation(holdId, release)),
  };
}

/** A row of counters as decimal texts; none for one never seen. */
type Amounts = Partial<Record<'credits' | 'usage' | 'held', string>>;
/** Of a key or a budget. */
interface KeyAmounts extends Partial<Record<'usage' | 'held' | 'windowUsage', string | null>> {
  readonly nowMs: number;
}

/** What is asked for the whole ledger, and what changes nothing: a statement each. */
export function directOperations(
  database: Database,
  { endedHoldRetentionMs }: { readonly endedHoldRetentionMs: number },
): Pick<
  LedgerEngine,
  'ratesUsed' | 'expireHolds' | 'organizationTotals' | 'keyTotals' | 'budgetTotals' | 'usage' | 'findHold' | 'entries'
> {
  const { read, givenNow } = database;
  return {
    async ratesUsed({ organizationId, keyId, organizationRateLimit, keyRateLimit }) {
      const limits = [organizationRateLimit, keyRateLimit].map((limit) => limit && JSON.stringify(rateJson(limit)));
      const used = await read<RatesUsed>('rates_used', () => [organizationId, keyId, ...limits, givenNow()]);
      // Of a rate that was never used there is no row.
      return {
        key: keyRateLimit == null ? null : (used?.key ?? 0),
        organization: organizationRateLimit == null ? null : (used?.organization ?? 0),
      };
    },
    async expireHolds(nowMs) {
      const count = await expireHolds(database, nowMs);
      await forgetOld(database, endedHoldRetentionMs);
      return count;
    },
    async organizationTotals(id) {
      const { credits = 0, usage = 0, held = 0 } = (await read<Amounts>('organization_totals', () => [id])) ?? {};
      return { credits: BigInt(credits), usage: BigInt(usage), held: BigInt(held) };
    },
    async keyTotals(id, limitReset) {
      return totalsOf(await read<KeyAmounts>('key_totals', () => [id, limitReset, givenNow()]), limitReset);
    },
    async budgetTotals(organizationId, budgets) {
      const named = JSON.stringify(budgets.map(({ id, limitReset }) => ({ id, reset: limitReset })));
      const rows = await read<KeyAmounts[]>('budget_totals', () => [organizationId, named, givenNow()]);
      return budgets.map(({ limitReset }, index) => totalsOf(rows?.[index], limitReset));
    },
    usage: (query) => readUsage(database, query),
    async findHold(holdId) {
      const found = await read<StoredRecord>('find_hold', () => [holdId]);
      return found && { holdId, ...found, cost: BigInt(found.cost) };
    },
    entries: (query) => readEntries(database, query),
  };
}

function totalsOf(row: KeyAmounts | undefined, limitReset: LimitReset | null): KeyTotals {
  return {
    usage: BigInt(row?.usage ?? 0),
    held: BigInt(row?.held ?? 0),
    windowUsage: BigInt(row?.windowUsage ?? 0),
    resetsAtMs: limitReset && limitWindowAt(limitReset, row?.nowMs ?? 0).resetsAtMs,
  };
}

type StoredRecord = Omit<HoldRecord, 'holdId' | 'cost'> & { readonly cost: string };

import type { AuditDetails, AuditLog, AuditRecord } from '../ledger/audit-log.js';
import { LARGEST_PAGE, pagesOf } from './pages.js';

const ERASED = '(erased)';

/**
 * Takes the id of a budget out of the record of changes. A log removes the records of a whole organization alone, so each record that names the budget is
 * replaced by the same record without the id.
 *
 * @returns how many were replaced.
 */
export async function eraseFromRecords(auditLog: AuditLog, organizationId: string, id: string): Promise<number> {
  let replaced = 0;
  const filter = { organizations: [organizationId] };
  for await (const { records } of pagesOf((cursor) => auditLog.find(filter, { limit: LARGEST_PAGE, cursor })))
    for (const record of records) {
      const without = withoutBudget(record, id);
      if (without === undefined) continue;
      await auditLog.append(without);
      replaced += 1;
    }
  return replaced;
}

/** @returns `undefined` for a record that does not name the budget. */
function withoutBudget(record: AuditRecord, id: string): AuditRecord | undefined {
  const { action, given, before, after } = record;
  const isOfBudget = action.startsWith('budget.');
  const details = [given, before, after];
  const changed = details.map((each) => each && detailsWithout(each, isOfBudget, id));
  if (changed.every((each, index) => each === details[index])) return undefined;
  return { ...record, given: changed[0] ?? {}, before: changed[1] ?? null, after: changed[2] ?? null };
}

/** The same object if it does not name the budget. The budgets of a refused change may be anything, and a long list is a text. */
function detailsWithout(details: AuditDetails, isOfBudget: boolean, id: string): AuditDetails {
  const { id: named, budgets } = details;
  if (isOfBudget && named === id) return { ...details, id: ERASED };
  if (Array.isArray(budgets) && budgets.includes(id))
    return { ...details, budgets: budgets.map((each: unknown) => (each === id ? ERASED : each)) };
  return typeof budgets === 'string' && budgets.includes(id) ? { ...details, budgets: ERASED } : details;
}

import { decideHold, type HoldRequest, type HoldResult, type KeyBudget, LedgerError } from '@searchgate/core/ledger';
import type { Books } from './books.js';
import { addToKey, addToOrganization, presentWindow } from './totals.js';

const FIND_HOLD = 'SELECT 1 AS found FROM searchgate_holds WHERE id = ?';
const INSERT_HOLD = `INSERT INTO searchgate_holds (id, organization_id, key_id, model, amount, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;

/**
 * Sets aside the largest amount asked for that fits both budgets, or says why none does.
 * @throws LedgerError `duplicate_hold`, or `invalid_amount` when a counter would overflow.
 */
export function placeHold(books: Books, request: HoldRequest): HoldResult {
  const { holdId, organizationId, keyId, expiresAtMs, model } = request;
  const { connection } = books;
  const result = decideHold(request, {
    organization: books.organization(organizationId),
    key: budgetOfKey(books, request),
  });
  if (result.status === 'refused') {
    if (connection.statement(FIND_HOLD).get(holdId) !== undefined) throw duplicate(holdId);
    return result;
  }
  const { amount } = result;
  const organization = addToOrganization(books.organization(organizationId), { held: amount });
  const key = addToKey(books.key(keyId), { held: amount }, books.nowMs);
  const insert = connection.statement(INSERT_HOLD);
  if (insert.run(holdId, organizationId, keyId, model, amount, BigInt(expiresAtMs)) === 0) throw duplicate(holdId);
  books.setOrganization(organizationId, organization);
  books.setKey(keyId, key);
  return result;
}

/** What the limit of a hold's key is measured against. */
function budgetOfKey(books: Books, { keyId, keyLimit, keyLimitReset }: HoldRequest): KeyBudget {
  const key = books.key(keyId);
  const { usage, held } = key;
  if (keyLimit === null || keyLimitReset == null) return { usage, held, resetsAtMs: null };
  return { held, ...presentWindow(key, keyLimitReset, books.nowMs) };
}

function duplicate(holdId: string): LedgerError {
  return new LedgerError('duplicate_hold', `holdId: "${holdId}" was used before`);
}

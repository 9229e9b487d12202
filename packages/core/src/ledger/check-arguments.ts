import { LedgerError } from '../errors.js';
import { LIMIT_RESETS, type LimitReset } from '../limit-window.js';
import { MAX_NANO_USD, type NanoUsd } from '../money.js';
import { describeValue } from '../parse-options.js';
import type {
  Adjustment,
  Charge,
  CostSource,
  EntryQuery,
  ExpiryPolicy,
  Grant,
  HoldRequest,
  Loss,
  Release,
} from './ledger.js';

/*
 * The argument checks every ledger runs before it touches its engine, so that all refuse the same things with the same codes.
 * Each throws a LedgerError naming the argument, what was found and what was expected.
 */

const ID = /^[\x21-\x7e]{1,128}$/;
const MAX_TEXT_CHARACTERS = 1_000;
const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;
const COST_SOURCES: ReadonlySet<CostSource> = new Set(['reported', 'computed', 'flat', 'ceiling', 'held']);

/** @throws LedgerError `invalid_id`. */
export function checkLedgerId(name: string, id: string): void {
  if (typeof id !== 'string' || !ID.test(id)) {
    throw refusal('invalid_id', name, { found: id, expected: '1 to 128 printable ASCII characters without spaces' });
  }
}

/** @throws LedgerError `invalid_id`, `invalid_amount` or `invalid_argument`. */
export function checkGrant({ grantId, organizationId, amount, note }: Grant): void {
  checkLedgerId('grantId', grantId);
  checkLedgerId('organizationId', organizationId);
  checkAmount('amount', amount);
  checkText('note', note);
}

/** @throws LedgerError `invalid_id`, `invalid_amount` or `invalid_argument`. */
export function checkAdjustment({ adjustmentId, organizationId, keyId, amount, note }: Adjustment): void {
  checkLedgerId('adjustmentId', adjustmentId);
  checkLedgerId('organizationId', organizationId);
  if (keyId !== undefined) checkLedgerId('keyId', keyId);
  checkAmount('amount', typeof amount === 'bigint' && amount < 0n ? -amount : amount);
  checkText('note', note);
}

/** @throws LedgerError `invalid_id`, `invalid_amount` or `invalid_argument`. */
export function checkHoldRequest({
  holdId,
  organizationId,
  keyId,
  keyLimit,
  keyLimitReset,
  amount,
  expiresAtMs,
  model,
}: HoldRequest): void {
  checkLedgerId('holdId', holdId);
  checkLedgerId('organizationId', organizationId);
  checkLedgerId('keyId', keyId);
  if (keyLimit !== null) checkAmount('keyLimit', keyLimit);
  checkLimitReset('keyLimitReset', keyLimitReset);
  checkAmount('amount', amount);
  checkTime('expiresAtMs', expiresAtMs);
  checkText('model', model);
}

/** @throws LedgerError `invalid_id`, `invalid_amount` or `invalid_argument`. */
export function checkSettle(holdId: string, { cost, model, provider, costSource, losses }: Charge): void {
  checkLedgerId('holdId', holdId);
  checkAmount('cost', cost);
  checkText('model', model);
  checkText('provider', provider);
  if (!COST_SOURCES.has(costSource)) {
    throw refusal('invalid_argument', 'costSource', {
      found: costSource,
      expected: [...COST_SOURCES].join(', '),
    });
  }
  if (losses !== undefined) checkLosses(losses);
}

/** @throws LedgerError `invalid_id`, `invalid_amount` or `invalid_argument`. */
export function checkRelease(holdId: string, { reason, losses }: Release): void {
  checkLedgerId('holdId', holdId);
  checkText('reason', reason);
  if (losses !== undefined) checkLosses(losses);
}

/** @throws LedgerError `invalid_id` or `invalid_argument`. */
export function checkKeyQuery(keyId: string, limitReset: LimitReset | null): void {
  checkLedgerId('keyId', keyId);
  checkLimitReset('limitReset', limitReset);
}

/** @throws LedgerError `invalid_argument`. */
export function checkExpiry(nowMs: number, policy: ExpiryPolicy): void {
  checkTime('nowMs', nowMs);
  if (!['release', 'charge'].includes(policy)) {
    throw refusal('invalid_argument', 'policy', { found: policy, expected: 'release or charge' });
  }
}

/**
 * Checks everything but the cursor, whose form is the ledger's own. @returns the page size.
 *
 * @throws LedgerError `invalid_id` or `invalid_argument`.
 */
export function checkEntryQuery({
  organizationId,
  keyId,
  fromMs,
  toMs,
  limit = DEFAULT_PAGE_SIZE,
}: EntryQuery): number {
  if (organizationId !== undefined) checkLedgerId('organizationId', organizationId);
  if (keyId !== undefined) checkLedgerId('keyId', keyId);
  if (fromMs !== undefined) checkTime('fromMs', fromMs);
  if (toMs !== undefined) checkTime('toMs', toMs);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE) {
    throw refusal('invalid_argument', 'limit', { found: limit, expected: `a whole number from 1 to ${MAX_PAGE_SIZE}` });
  }
  return limit;
}

function checkLosses(losses: readonly Loss[]): void {
  const found: unknown = losses; // Narrowing `losses` itself would turn its elements into any.
  if (!Array.isArray(found)) throw refusal('invalid_argument', 'losses', { found, expected: 'an array' });
  for (const [index, { model, provider, cost, reason }] of losses.entries()) {
    checkAmount(`losses[${index}].cost`, cost);
    checkText(`losses[${index}].model`, model);
    checkText(`losses[${index}].provider`, provider);
    checkText(`losses[${index}].reason`, reason);
  }
}

function checkAmount(name: string, amount: NanoUsd): void {
  if (typeof amount !== 'bigint' || amount < 0n || amount > MAX_NANO_USD) {
    throw refusal('invalid_amount', name, { found: amount, expected: 'a bigint of nanodollars from 0 to 2^62' });
  }
}

function checkTime(name: string, timeMs: number): void {
  if (!Number.isSafeInteger(timeMs) || timeMs < 0) {
    throw refusal('invalid_argument', name, { found: timeMs, expected: 'whole milliseconds since the Unix epoch' });
  }
}

function checkLimitReset(name: string, limitReset: LimitReset | null | undefined): void {
  if (limitReset != null && !LIMIT_RESETS.includes(limitReset)) {
    throw refusal('invalid_argument', name, { found: limitReset, expected: `${LIMIT_RESETS.join(', ')} or null` });
  }
}

function checkText(name: string, text: string): void {
  if (typeof text !== 'string' || text.length > MAX_TEXT_CHARACTERS) {
    throw refusal('invalid_argument', name, {
      found: text,
      expected: `a text of at most ${MAX_TEXT_CHARACTERS} characters`,
    });
  }
}

function refusal(
  reason: 'invalid_id' | 'invalid_amount' | 'invalid_argument',
  name: string,
  { found, expected }: { found: unknown; expected: string },
): LedgerError {
  return new LedgerError(reason, `${name}: found ${describeValue(found)}, expected ${expected}`);
}

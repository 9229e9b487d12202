import { MAX_BUDGETS_OF_CALL } from '../base/budget-ids.js';
import { DOMAIN_RULE, type DomainRule, readDomainRule } from '../base/domain-rule.js';
import { MAX_NANO_USD, type NanoUsd, readUsd } from '../base/money.js';
import { isLedgerId, LEDGER_ID } from '../base/options/check-argument.js';
import { nearestName } from '../base/options/nearest-name.js';
import { describeValue } from '../base/options/parse-options.js';
import { LIMIT_RESETS, type LimitReset } from '../base/time/limit-window.js';
import {
  isMaxConcurrent,
  isRateLimit,
  MAX_CONCURRENT_WANTED,
  RATE_LIMIT,
  type RateLimit,
} from '../base/time/rate-limit.js';
import type { ApiKey } from './api-key.js';
import { BUDGET_MODES, type BudgetMode, type BudgetOfKey } from './budget.js';
import type { BudgetOfIdentity, KeyIdentity } from './key-identity.js';

/*
 * Checks a caller that the host's code returned, at run time: a mistake of the host must never give a caller more rights. Both functions copy the known
 * fields, so later changes of the host's object do not reach the gateway. Written without zod, because `apiKeyOf` runs with every request: 0.3 µs, against
 * 2 µs for a zod schema (Node 20, 2026-11-22).
 */

const FIELDS: readonly string[] = [
  'id',
  'organizationId',
  'label',
  'limit',
  'limitReset',
  'allowedModels',
  'budgets',
  'domains',
  'rateLimit',
  'maxConcurrent',
  'organizationRateLimit',
  'organizationMaxConcurrent',
  'operatorPays',
] satisfies readonly (keyof KeyIdentity)[];

const BUDGET_FIELDS = ['id', 'limit', 'limitReset', 'mode'] satisfies readonly (keyof BudgetOfIdentity)[];

/** The host's code returned a value of a wrong shape. */
export class WrongShapeError extends TypeError {
  override readonly name = 'WrongShapeError';
}

/** The prefix of key ids that the gateway reserves for its own ledger entries. */
const RESERVED = 'searchgate:';

/**
 * Converts a host's identity to an {@link ApiKey}. Refuses unknown fields, because a misspelled limit would be no limit.
 *
 * @throws WrongShapeError naming the wrong field, the found value and the expected value.
 */
export function apiKeyOf(identity: unknown): ApiKey {
  const fields = checkObject('identity', identity);
  checkFieldNames('', fields, FIELDS);
  const id = checkKeyId(fields['id']);
  const limit = orNull(fields, 'limit', checkDecimal);
  const limitReset = orNull(fields, 'limitReset', checkLimitReset);
  if (limit === null && limitReset !== null) throw wrong('limitReset', limitReset, 'a limit that it resets');
  return {
    id,
    organizationId: checkId('organizationId', fields['organizationId']),
    label: orNull(fields, 'label', checkLabel) ?? id,
    limit,
    limitReset,
    allowedModels: orNull(fields, 'allowedModels', checkSlugs),
    budgets: budgetsOf(fields, checkIdentityBudget),
    domains: fields['domains'] == null ? undefined : [checkDomains('domains', fields['domains'])],
    expiresAtMs: null,
    revokedAtMs: null,
    organizationSuspended: false,
    ...limitsOf(fields),
  };
}

/**
 * Checks the key that a store found. Every field is required, because no field has a safe default, except the limits of rate and concurrency, which have
 * defaults in the gateway, and budgets and domains. Other fields of the store are ignored.
 *
 * @returns `undefined` for an unknown key.
 * @throws WrongShapeError naming the wrong field, the found value and the expected value.
 */
export function checkStoredKey(found: unknown): ApiKey | undefined {
  // Many stores in JavaScript return `null`.
  if (found === undefined || found === null) return undefined;
  const fields = checkObject('key', found);
  return {
    id: checkKeyId(fields['id']),
    organizationId: checkId('organizationId', fields['organizationId']),
    label: checkLabel('label', fields['label']),
    limit: nullable(fields, 'limit', checkAmount),
    limitReset: nullable(fields, 'limitReset', checkLimitReset),
    allowedModels: nullable(fields, 'allowedModels', checkSlugs),
    budgets: budgetsOf(fields, checkStoredBudget),
    domains: rulesOf(fields['domains']),
    expiresAtMs: nullable(fields, 'expiresAtMs', checkTime),
    revokedAtMs: nullable(fields, 'revokedAtMs', checkTime),
    organizationSuspended: checkBoolean('organizationSuspended', fields['organizationSuspended']),
    ...limitsOf(fields),
  };
}

/** The optional limits: `null` means the gateway's default. */
function limitsOf(fields: Fields) {
  return {
    operatorPays: orNull(fields, 'operatorPays', checkBoolean) ?? false,
    rateLimit: orNull(fields, 'rateLimit', checkRateLimit),
    maxConcurrent: orNull(fields, 'maxConcurrent', checkMaxConcurrent),
    organizationRateLimit: orNull(fields, 'organizationRateLimit', checkRateLimit),
    organizationMaxConcurrent: orNull(fields, 'organizationMaxConcurrent', checkMaxConcurrent),
  };
}

/** The budgets of a caller, if it has any. */
function budgetsOf(fields: Fields, check: Check<BudgetOfKey>): readonly BudgetOfKey[] | undefined {
  const found = fields['budgets'];
  if (found === undefined || found === null) return undefined;
  if (!Array.isArray(found)) throw wrong('budgets', found, `an array of at most ${MAX_BUDGETS_OF_CALL} budgets`);
  if (found.length > MAX_BUDGETS_OF_CALL) throw wrong('budgets', found, `at most ${MAX_BUDGETS_OF_CALL} budgets`);
  const budgets = Array.from(found, (budget: unknown, index) => check(`budgets[${index}]`, budget));
  for (const [index, { id }] of budgets.entries())
    if (budgets.findIndex((other) => other.id === id) < index)
      throw wrong(`budgets[${index}].id`, id, 'an id that no other of the budgets has');
  return budgets.length === 0 ? undefined : budgets;
}

function checkIdentityBudget(path: string, value: unknown): BudgetOfKey {
  const fields = checkObject(path, value);
  checkFieldNames(`${path}.`, fields, BUDGET_FIELDS);
  return {
    id: checkId(`${path}.id`, fields['id']),
    limit: fields['limit'] === null ? null : checkDecimal(`${path}.limit`, fields['limit']),
    limitReset: fields['limitReset'] == null ? null : checkLimitReset(`${path}.limitReset`, fields['limitReset']),
    mode: fields['mode'] === undefined ? 'enforce' : checkMode(`${path}.mode`, fields['mode']),
    isKept: false,
  };
}

function checkStoredBudget(path: string, value: unknown): BudgetOfKey {
  const { id, limit, limitReset, mode, isKept } = checkObject(path, value);
  return {
    id: checkId(`${path}.id`, id),
    limit: limit === null ? null : checkAmount(`${path}.limit`, limit),
    limitReset: limitReset === null ? null : checkLimitReset(`${path}.limitReset`, limitReset),
    mode: checkMode(`${path}.mode`, mode),
    isKept: isKept === undefined ? false : checkBoolean(`${path}.isKept`, isKept),
  };
}

function checkMode(path: string, value: unknown): BudgetMode {
  if (BUDGET_MODES.includes(value as BudgetMode)) return value as BudgetMode;
  throw wrong(path, value, BUDGET_MODES.join(' or '));
}

/** The rules of a stored key, if it has any. */
function rulesOf(found: unknown): readonly DomainRule[] | undefined {
  if (found === undefined || found === null) return undefined;
  if (!Array.isArray(found)) throw wrong('domains', found, 'an array of rules');
  return found.length === 0 ? undefined : Array.from(found, (rule, index) => checkDomains(`domains[${index}]`, rule));
}

function checkDomains(path: string, value: unknown): DomainRule {
  const rule = readDomainRule(value);
  if (rule !== undefined) return rule;
  throw wrong(path, value, DOMAIN_RULE);
}

type Check<T> = (path: string, value: unknown) => T;

type Fields = Readonly<Record<string, unknown>>;

/** Checks an optional field: `undefined` and `null` mean the same. */
function orNull<T>(fields: Fields, name: string, check: Check<T>): T | null {
  return fields[name] === undefined ? null : nullable(fields, name, check);
}

function nullable<T>(fields: Fields, name: string, check: Check<T>): T | null {
  return fields[name] === null ? null : check(name, fields[name]);
}

function checkObject(path: string, value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong(path, value, 'an object');
}

/** @param within the path of the object, with a point at its end. */
function checkFieldNames(within: string, found: Fields, known: readonly string[]): void {
  for (const name of Object.keys(found)) {
    if (known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    throw new WrongShapeError(`${within}${name}: found an unknown field, expected one of ${known.join(', ')}.${hint}`);
  }
}

function checkId(path: string, value: unknown): string {
  if (typeof value === 'string' && isLedgerId(value)) return value;
  throw wrong(path, value, LEDGER_ID);
}

function checkKeyId(value: unknown): string {
  const id = checkId('id', value);
  if (!id.startsWith(RESERVED)) return id;
  throw wrong('id', id, `an id that does not begin with "${RESERVED}"`);
}

function checkLabel(path: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw wrong(path, value, 'a string');
}

function checkDecimal(path: string, value: unknown): NanoUsd {
  const amount = readUsd(value);
  if (isAmount(amount)) return amount;
  throw wrong(path, value, DECIMAL);
}

const DECIMAL = 'a decimal string of USD such as "5.00", from 0 to about 4.6 billion, or null';

function checkAmount(path: string, value: unknown): NanoUsd {
  if (isAmount(value)) return value;
  throw wrong(path, value, 'a bigint of nanodollars from 0 to 2^62, or null');
}

function isAmount(value: unknown): value is NanoUsd {
  return typeof value === 'bigint' && value >= 0n && value <= MAX_NANO_USD;
}

function checkLimitReset(path: string, value: unknown): LimitReset {
  if (LIMIT_RESETS.includes(value as LimitReset)) return value as LimitReset;
  throw wrong(path, value, `${LIMIT_RESETS.join(', ')} or null`);
}

function checkRateLimit(path: string, value: unknown): RateLimit {
  if (!isRateLimit(value)) throw wrong(path, value, RATE_LIMIT);
  const { requests, periodMs } = value;
  return { requests, periodMs };
}

function checkMaxConcurrent(path: string, value: unknown): number {
  if (isMaxConcurrent(value)) return value;
  throw wrong(path, value, MAX_CONCURRENT_WANTED);
}

function checkSlugs(path: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw wrong(path, value, 'an array of slugs, or null');
  return Array.from(value, (slug: unknown, index) => {
    if (typeof slug === 'string') return slug;
    throw wrong(`${path}[${index}]`, slug, 'a slug such as "exa/answer"');
  });
}

/** Refuses NaN above all: no time is ever later than NaN. */
function checkTime(path: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw wrong(path, value, 'milliseconds since the Unix epoch, or null');
}

function checkBoolean(path: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw wrong(path, value, 'true or false');
}

function wrong(path: string, found: unknown, expected: string): WrongShapeError {
  return new WrongShapeError(`${path}: found ${describeValue(found, path)}, expected ${expected}`);
}

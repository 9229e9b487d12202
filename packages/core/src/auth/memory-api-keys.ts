import { z } from 'zod';
import { budgetName, MAX_BUDGETS_OF_CALL } from '../base/budget-ids.js';
import { DOMAIN_RULE, readDomainRule } from '../base/domain-rule.js';
import { MAX_NANO_USD, parseUsd, readUsd } from '../base/money.js';
import { hasMoreCharacters, isStorable } from '../base/options/characters.js';
import { callerLimitSchemas } from '../base/options/limit-schemas.js';
import { ledgerIdSchema } from '../base/options/option-schemas.js';
import { parseOptions } from '../base/options/parse-options.js';
import { LIMIT_RESETS } from '../base/time/limit-window.js';
import type { ApiKeyRecord, ApiKeyRegistry } from './api-key-registry.js';
import { hashApiKey, publicIdOf, publicIdOfHash } from './api-key-secret.js';
import { BUDGET_MODES } from './budget.js';
import { MAX_ALLOWED_MODELS } from './check-registry-arguments.js';
import type { BudgetOfIdentity, KeyIdentity } from './key-identity.js';
import { createMemoryRegistry } from './memory-registry.js';

/** An initial key, by its secret or by the SHA-256 of the secret. A `limitReset` is refused without a `limit`. */
export interface MemoryApiKey
  extends Pick<
    KeyIdentity,
    'organizationId' | 'limit' | 'limitReset' | 'allowedModels' | 'domains' | 'rateLimit' | 'maxConcurrent'
  > {
  /** The bearer token; at least 20 printable ASCII characters without spaces or commas. Only the hash is stored. */
  readonly apiKey?: string | undefined;
  /** Lower-case hex SHA-256 of the bearer token, instead of `apiKey`. */
  readonly secretHash?: string | undefined;
  /** Names the key in the ledger. Default: the public part of an `sg_…` key, else derived from the hash. */
  readonly id?: string | undefined;
  /** Shown by `GET /key`; 1 to 200 characters. */
  readonly label: string;
  /** ISO date-time with offset; absent or `null` for never. */
  readonly expiresAt?: string | null | undefined;
  /** Whether the key is refused. Default `false`. */
  readonly revoked?: boolean | undefined;
  /** Ids of budgets of its organization, at most four, each once: a call needs room in all. Default: none. */
  readonly budgets?: readonly string[] | undefined;
}

/** A budget of an organization, which its keys may name. */
export interface MemoryBudget extends BudgetOfIdentity {
  /** Whose budget it is. */
  readonly organizationId: string;
  /** Most that its keys together may spend, decimal USD. */
  readonly limit: string;
}

const amount = z
  .string('a decimal string such as "5.00"')
  .refine(isAmount, 'a decimal string such as "5.00", zero or more')
  .transform(parseUsd);
const STORABLE = 'a well-formed text without NUL';
const DATE_TIME = 'an ISO date-time such as "2027-01-31T00:00:00Z"';
const resetSchema = z
  .enum(LIMIT_RESETS, `one of ${LIMIT_RESETS.join(', ')}`)
  .nullable()
  .default(null);
const keySchema = z
  .strictObject({
    label: z
      .string('a string')
      .min(1, 'a label')
      .refine((label) => !hasMoreCharacters(label, 200), 'at most 200 characters')
      .refine(isStorable, STORABLE),
    organizationId: ledgerIdSchema,
    limit: amount.nullable().default(null),
    limitReset: resetSchema,
    allowedModels: z
      .array(z.string('a slug').refine(isStorable, 'a slug'), 'an array of slugs')
      .max(MAX_ALLOWED_MODELS, `at most ${MAX_ALLOWED_MODELS} slugs`)
      .nullable()
      .default(null),
    domains: z
      .unknown()
      .transform((given) => (given == null ? null : readDomainRule(given)))
      .refine((rule) => rule !== undefined, DOMAIN_RULE)
      .optional(),
    ...callerLimitSchemas,
    expiresAt: z.iso
      .datetime({ offset: true, error: DATE_TIME })
      .refine((text) => Date.parse(text) >= 0, DATE_TIME)
      .transform((text) => Date.parse(text))
      .nullable()
      .default(null),
    apiKey: z
      .string('a string')
      .regex(/^[\x21-\x2b\x2d-\x7e]{20,400}$/, 'at least 20 printable ASCII characters without spaces or commas')
      .optional(),
    secretHash: z
      .string('a string')
      .regex(/^[0-9a-f]{64}$/, 'a lower-case hex SHA-256')
      .optional(),
    id: ledgerIdSchema.optional(),
    revoked: z.boolean('true or false').optional(),
    budgets: z
      .array(ledgerIdSchema, 'an array of ids of budgets')
      .max(MAX_BUDGETS_OF_CALL, `at most ${MAX_BUDGETS_OF_CALL} budgets`)
      .refine((ids) => new Set(ids).size === ids.length, 'no budget twice')
      .default([]),
  })
  .refine(
    (key) => (key.apiKey === undefined) !== (key.secretHash === undefined),
    'exactly one of apiKey and secretHash',
  )
  // A key without its intended limit could spend everything.
  .refine(({ limit, limitReset }) => limit !== null || limitReset === null, {
    path: ['limitReset'],
    error: 'a limit that it resets',
  });
const budgetSchema = z.strictObject({
  organizationId: ledgerIdSchema,
  id: ledgerIdSchema,
  limit: amount,
  limitReset: resetSchema,
  mode: z.enum(BUDGET_MODES, BUDGET_MODES.join(' or ')).default('enforce'),
});
const optionsSchema = z.strictObject({
  budgets: z
    .array(budgetSchema, 'an array of budgets')
    .superRefine(refuseTwice((budget) => [nameOf(budget)], 'an id no other budget of the organization has'))
    .default([]),
});
type ParsedKey = z.output<typeof keySchema>;

/**
 * An API key registry in the memory of the process: for tests, trials and keys from a configuration file. `createAdministration` can add and change keys, as
 * in any other registry.
 *
 * @throws ConfigurationError naming the wrong key or budget and its field, also for two keys with the same secret or id, and for a budget that a key names
 * and its organization has not.
 */
export function memoryApiKeys(
  keys: readonly MemoryApiKey[] = [],
  options: { readonly budgets?: readonly MemoryBudget[] | undefined } = {},
): ApiKeyRegistry {
  const { budgets } = parseOptions(optionsSchema, options, 'memoryApiKeys');
  const known = new Set(budgets.map(nameOf));
  const keysSchema = z
    .array(keySchema, 'an array of keys')
    .superRefine(refuseTwice((key) => Object.values(identityOf(key)), 'a secret and id no other key has'));
  const parsed = parseOptions(
    keysSchema.superRefine((given, context) => refuseUnknownBudgets(given, known, context)),
    keys,
    'memoryApiKeys',
  );
  const createdAtMs = Date.now();
  return createMemoryRegistry(
    parsed.map((fields) => toRecord(fields, createdAtMs)),
    budgets.map((fields) => ({ ...fields, createdAtMs })),
  );
}

/** Refuses an item that has a name of an item before it. */
function refuseTwice<T>(namesOf: (item: T) => readonly string[], message: string) {
  return (items: readonly T[], context: z.RefinementCtx): void => {
    const seen = new Set<string>();
    for (const [index, item] of items.entries()) {
      const names = namesOf(item);
      if (names.some((name) => seen.has(name))) context.addIssue({ code: 'custom', path: [index], message });
      for (const name of names) seen.add(name);
    }
  };
}

function refuseUnknownBudgets(keys: readonly ParsedKey[], known: ReadonlySet<string>, context: z.RefinementCtx): void {
  for (const [index, { organizationId, budgets }] of keys.entries())
    for (const [at, id] of budgets.entries())
      if (!known.has(budgetName(organizationId, id)))
        context.addIssue({
          code: 'custom',
          path: [index, 'budgets', at],
          message: `a budget of ${organizationId} in the option budgets`,
        });
}

const nameOf = ({ organizationId, id }: z.output<typeof budgetSchema>) => budgetName(organizationId, id);

function identityOf({ apiKey, secretHash, id }: Pick<ParsedKey, 'apiKey' | 'secretHash' | 'id'>) {
  if (apiKey === undefined) return { hash: secretHash ?? '', id: id ?? publicIdOfHash(secretHash ?? '') };
  const hash = hashApiKey(apiKey);
  return { hash, id: id ?? publicIdOf(apiKey, hash) };
}

function toRecord(
  { apiKey, secretHash, id, revoked, expiresAt, rateLimit = null, maxConcurrent = null, ...fields }: ParsedKey,
  createdAtMs: number,
): ApiKeyRecord {
  const limits = { rateLimit, maxConcurrent, expiresAtMs: expiresAt, revokedAtMs: revoked === true ? 0 : null };
  return { ...fields, ...limits, ...identityOf({ apiKey, secretHash, id }), createdAtMs };
}

function isAmount(text: string): boolean {
  const nanos = readUsd(text) ?? -1n;
  return nanos >= 0n && nanos <= MAX_NANO_USD;
}

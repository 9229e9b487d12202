import type { ComposedModel } from '@searchgate/composed';
import { formatUsd, type GatewayOptions, parseUsd } from '@searchgate/core';
import type { TenantFee } from '@searchgate/core/administration';
import { chatOptionsSchema, kindEndpointSchemas, responsesOptionsSchema } from '@searchgate/core/extensions';
import {
  callerLimitSchemas,
  DOMAIN_RULE,
  type DomainRule,
  LIMIT_RESETS,
  ledgerIdSchema,
  MAX_BUDGETS_OF_CALL,
  MAX_NANO_USD,
  readDomainRule,
} from '@searchgate/core/ledger';
import { parseOptions } from '@searchgate/core/provider-kit';
import type { McpOptions } from '@searchgate/mcp';
import type { WebhookOptions } from '@searchgate/webhooks';
import { z } from 'zod';
import { checkReferences } from './check-references.js';
import type { ProviderConfig } from './create-providers.js';
import { DRAIN_DELAY, type Environment, MAX_DRAIN_DELAY_MS } from './environment.js';
import { readJsonFile, resolveVariables } from './json-file.js';
import { nameSchema, operatorsSchema, roleSchema } from './login/operators.js';
import { refuse, withPaths } from './problems.js';
import { trustProxySchema } from './trusted-proxies.js';

const AMOUNT = `a decimal string of US dollars such as "5.00", from 0 to ${formatUsd(MAX_NANO_USD)}`;
const amount = z.string(AMOUNT).refine(isAmount, AMOUNT);
const slugs = z.array(z.string('a slug'), 'an array of slugs');
const limit = z.number('a number').optional();
const limitReset = z
  .enum(LIMIT_RESETS, `one of ${LIMIT_RESETS.join(', ')}`)
  .nullable()
  .optional();
/** Normalized, so that it can be compared with the ledger's. */
const domains = z
  .custom<DomainRule>((value) => readDomainRule(value) !== undefined, DOMAIN_RULE)
  .meta({ type: 'object' })
  .transform(readDomainRule)
  .nullable()
  .optional();
const organizationSchema = z.strictObject(
  {
    // A grant id of this file contains the organization id: the rest of the 128 characters is reserved.
    id: z.string('a name').regex(/^[\x21-\x7e]{1,64}$/, '1 to 64 printable ASCII characters without spaces'),
    // `null`: the operator pays.
    credits: amount.nullable(),
    domains,
    ...callerLimitSchemas,
  },
  'an object',
);

const apiKeySchema = z
  .strictObject(
    {
      secret: z.string('a string').optional(),
      secretHash: z.string('a string').optional(),
      label: z.string('a string'),
      organizationId: z.string('the id of an organization'),
      limit: amount.nullable(),
      limitReset,
      allowedModels: slugs.nullable().optional(),
      budgets: z
        .array(ledgerIdSchema, 'an array of ids of budgets')
        .max(MAX_BUDGETS_OF_CALL, `at most ${MAX_BUDGETS_OF_CALL} budgets`)
        .optional(),
      domains,
      ...callerLimitSchemas,
      expiresAt: z.string('an ISO date-time').nullable().optional(),
      revoked: z.boolean('true or false').optional(),
    },
    'an object',
  )
  .refine(
    ({ secret, secretHash }) => (secret === undefined) !== (secretHash === undefined),
    'exactly one of secret and secretHash',
  );

const budgetSchema = z.strictObject(
  {
    organizationId: z.string('the id of an organization'),
    id: ledgerIdSchema,
    limit: amount,
    limitReset,
    mode: z.enum(['enforce', 'warn'], '"enforce" or "warn"').optional(),
  },
  'an object',
);

const limitsSchema = z.strictObject(
  {
    maxInFlight: limit,
    maxInFlightPerKey: limit,
    maxBodyReads: limit,
    maxBodyReadsPerKey: limit,
    maxBodyBytes: limit,
    bodyTimeoutMs: limit,
    maxQueryCharacters: limit,
    maxUpstreamBytes: limit,
    authFailureLimit: limit,
    connectTimeoutMs: limit,
    maxConnectionsPerProvider: limit,
    maxConnectionWaitMs: limit,
    maxAttempts: limit,
    streamKeepAliveMs: limit,
    retryBaseDelayMs: limit,
    retryMaxDelayMs: limit,
    providerFailureThreshold: limit,
    providerCooldownMs: limit,
    ledgerTimeoutMs: limit,
    keyCacheMaxAgeMs: limit,
    keyCacheMaxKeys: limit,
    holdGraceMs: limit,
    expireHoldsEveryMs: limit,
    idempotencyTtlMs: limit,
  },
  'an object',
);

/** The fields of `limits` in the configuration. */
export const LIMIT_NAMES: ReadonlySet<string> = new Set(Object.keys(limitsSchema.shape));

/** The provider's factory checks the other fields. */
const providerSchema = z.looseObject(
  {
    type: z.literal('openai-compatible', '"openai-compatible"').optional(),
    apiKey: z.string('the key of an account').optional(),
    apiKeyFile: z.string('the path of a file with the key').optional(),
  },
  'an object such as { "apiKeyFile": "/run/secrets/exa" }',
) as z.ZodType<ProviderConfig>;

/** `composed` checks the recipes. */
const composedSchema = z.record(
  z.string(),
  z.record(z.string(), z.custom<ComposedModel>(isObject, 'an object with search and chat').meta({ type: 'object' })),
  'an object such as { "ask": { "brief": { "search": "tavily/basic", "chat": {} } } }',
);

/** `createGateway` checks the fee. */
const byokSchema = z.strictObject(
  { fee: z.custom<TenantFee>().optional(), sharedKeys: z.boolean('true or false').optional(), timeoutMs: limit },
  'an object such as { "fee": { "share": "0.05" } }',
);

/** `createGateway` checks the values. */
const captureSchema = z.strictObject(
  {
    organizations: z.union([z.literal('all'), z.array(ledgerIdSchema)], '"all", or an array of ids of organizations'),
    maxCharacters: limit,
    keepDays: limit,
  },
  'an object such as { "organizations": "all" }',
);

/** `deliverWebhooks` checks the values. */
const webhooksSchema = z.strictObject(
  {
    endpoints: z.custom<WebhookOptions['endpoints']>(Array.isArray, 'an array of endpoints').meta({ type: 'array' }),
    timeoutMs: limit,
    flushTimeoutMs: limit,
  },
  'an object such as { "endpoints": [] }',
);

const anyObject = (expected: string) =>
  z.custom<unknown>(isObject, expected).meta({ type: 'object', description: expected });

/** What `searchgate management-token` prints. */
const managementTokenSchema = z.strictObject(
  {
    name: nameSchema,
    tokenHash: z.string('a string').regex(/^[0-9a-f]{64}$/, 'what `searchgate management-token` prints'),
    role: roleSchema,
    organizations: z.union([z.literal('all'), z.array(ledgerIdSchema).max(1_000)], '"all" or an array of ids'),
    expiresAt: z.iso.datetime({ offset: true, error: 'an ISO date-time such as "2027-01-31T00:00:00Z"' }).optional(),
  },
  'an object',
);

/** The models of a dialect, by the kind of its calls. */
function models<const Category extends string>(...categories: readonly Category[]) {
  const shape = Object.fromEntries(categories.map((category) => [category, z.string('a slug').min(1).optional()]));
  const expected = `an object such as { "${categories[0]}": "exa/auto" }`;
  return z.strictObject(shape as Record<Category, z.ZodOptional<z.ZodString>>, expected);
}

/** On, off, or on with options. */
const switchOr = <Options extends z.ZodType>(options: Options, example: string) =>
  z.union([z.boolean(), options], `true, false or an object such as ${example}`).optional();

/** Paths besides the four endpoints, by name. */
const endpointsSchema = z.strictObject(
  {
    ...kindEndpointSchemas,
    openapi: z.union([z.boolean(), z.literal('key')], 'true, false or "key"').optional(),
    chatCompletions: switchOr(chatOptionsSchema, '{ "usageCost": "object" }'),
    responses: switchOr(responsesOptionsSchema, '{ "instructions": "prepend" }'),
    tavily: models('search', 'extract', 'answer').optional(),
    exa: models('search', 'extract', 'answer').optional(),
    firecrawl: models('search', 'extract').optional(),
    searxng: models('search')
      .required()
      .extend({ keyInPath: z.boolean('true or false').optional() })
      .optional(),
    usage: z.boolean('true or false').optional(),
    asyncAnswers: z.boolean('true or false').optional(),
    mcp: z
      .custom<boolean | McpOptions>(isSwitch, 'true, or an object such as { "defaultModel": "exa/answer" }')
      .optional(),
  },
  'an object such as { "chatCompletions": true, "mcp": true }',
);

/** Fields that `createGateway` checks; here only their form is checked. */
const gatewayFields = {
  groups: anyObject('an object of groups by name').optional(),
  fallbackOn: z.array(z.string(), '["error"] or ["error", "empty"]').optional(),
  hedging: anyObject('an object of hedges by slug').optional(),
  organizationMarkups: anyObject('an object of decimal strings by organization id').optional(),
  cache: anyObject('an object such as { "ttlMs": 600000 }').optional(),
  coalescing: z.custom<unknown>(isSwitch, 'true, or an object such as { "sharedPrice": "0.5" }').optional(),
  models: anyObject('an object of changes by slug').optional(),
  defaultLimits: anyObject('an object of limits').optional(),
  organizationLimits: anyObject('an object of limits by organization id').optional(),
  alerts: anyObject('an object such as { "thresholds": ["0.8"] }').optional(),
};

const schema = z
  .strictObject(
    {
      organizations: z.array(organizationSchema, 'an array of organizations').optional(),
      budgets: z.array(budgetSchema, 'an array of budgets').optional(),
      apiKeys: z.array(apiKeySchema, 'an array of keys').optional(),
      endpoints: endpointsSchema.optional(),
      aliases: z.record(z.string(), z.string('a slug'), 'an object of slugs by alias').optional(),
      fallbacks: z.record(z.string(), slugs, 'an object of arrays of slugs by slug').optional(),
      ...gatewayFields,
      markup: z.string('a decimal string such as "1.2"').optional(),
      overrun: z.enum(['charge', 'absorb'], '"charge" or "absorb"').optional(),
      providers: z.record(z.string(), providerSchema, 'an object of settings by provider').optional(),
      composed: composedSchema.optional(),
      limits: limitsSchema.optional(),
      trustProxy: trustProxySchema.optional(),
      drainDelayMs: z.int(DRAIN_DELAY).min(0, DRAIN_DELAY).max(MAX_DRAIN_DELAY_MS, DRAIN_DELAY).optional(),
      adminOrganization: ledgerIdSchema.optional(),
      operators: operatorsSchema.optional(),
      managementTokens: z.array(managementTokenSchema, 'an array of management tokens').optional(),
      verified: z.string('the path of a verified.json').optional(),
      byok: byokSchema.optional(),
      webhooks: webhooksSchema.optional(),
      requestLog: z
        .union(
          [z.literal(false), z.strictObject({ keepDays: limit, maxRows: limit, capture: captureSchema.optional() })],
          'false, or an object such as { "keepDays": 14 }',
        )
        .optional(),
      /** For editors: where the JSON Schema of this file is. */
      $schema: z.string('the address of a JSON Schema').optional(),
    },
    'a JSON object',
  )
  .superRefine(checkReferences);

/** The JSON configuration. Amounts are decimal US dollar strings; all fields but `organizations`, `budgets`, `apiKeys`, `limits` and `trustProxy` are those of `createGateway`. */
export type ServerConfig = Omit<z.output<typeof schema>, GatewayField> & Pick<GatewayOptions, GatewayField>;

type GatewayField = keyof typeof gatewayFields;

/** The JSON Schema of the file, with which editors complete and check it. `searchgate check` checks more. */
export function configJsonSchema(): object {
  return z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
}

/**
 * Reads and checks the configuration.
 *
 * @param environment values of the variables that the file refers to: `${NAME}`.
 * @throws ConfigurationError listing every problem: path, found value, expected value, nearest known name.
 */
export function readConfigFile(path: string, environment: Environment = {}): ServerConfig {
  return parseConfig(readJsonFile(path), environment);
}

/** Checks the content of a configuration file. @throws ConfigurationError as {@link readConfigFile}. */
export function parseConfig(content: unknown, environment: Environment): ServerConfig {
  const value = resolveVariables(content, environment);
  refuseOtherSettings(value);
  return withPaths(
    (field) => (field === 'options' ? 'SEARCHGATE_CONFIG' : field),
    () => parseOptions(schema, value, '') as ServerConfig,
  );
}

/** Fields that only the environment can set, with their variables. */
const VARIABLES = { port: 'PORT', host: 'HOST', ledger: 'SEARCHGATE_LEDGER' } as const;

function refuseOtherSettings(value: unknown): void {
  const problems = Object.entries(VARIABLES)
    .filter(([path]) => isObject(value) && Object.hasOwn(value, path))
    .map(([path, variable]) => {
      const expected = `nothing: ${variable} in the environment sets it, and a restart changes it`;
      return { path, found: 'a value', expected };
    });
  refuse(problems);
}

function isAmount(text: string): boolean {
  try {
    const nanos = parseUsd(text);
    return nanos >= 0n && nanos <= MAX_NANO_USD;
  } catch {
    return false;
  }
}

function isSwitch(value: unknown): boolean {
  return typeof value === 'boolean' || isObject(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

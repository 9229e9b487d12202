import { ledgerIdSchema } from '@searchgate/core/ledger';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { type LedgerAddress, parseLedgerAddress } from './ledger/ledger-address.js';
import { isPasswordHash } from './login/password.js';
import { problem, refuse } from './problems.js';
import { trustProxyVariable } from './trusted-proxies.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 3_000;
const DEFAULT_HOST = '127.0.0.1';
const PORT = 'a port from 0 to 65535';
/** The most that leaves calls the time to end, before an orchestrator kills the process. */
export const MAX_DRAIN_DELAY_MS = 15_000;
export const DRAIN_DELAY = `a number of milliseconds from 0 to ${MAX_DRAIN_DELAY_MS}`;
const OWN_PREFIX = 'SEARCHGATE_';

/** Seals the vendor keys of organizations, and so turns them on. */
export const TENANT_KEYS_SECRET = 'SEARCHGATE_TENANT_KEYS_SECRET';
/** Where they are kept, for errors. */
export const KEEPS_TENANT_KEYS = 'a ledger in SQLite or PostgreSQL, which keeps vendor keys of organizations';
const TENANT_KEYS_SECRETS = /^[A-Za-z\d+/]{42}[AEIMQUYcgkosw048]=(?:,[A-Za-z\d+/]{42}[AEIMQUYcgkosw048]=)?$/;

/** An env file of Docker takes quotes and spaces into the value. */
const IN_QUOTES = /^[\s"']|[\s"']$/;
const QUOTED = { found: 'a value in quotes or spaces (not shown)', expected: 'the value alone' };

const port = z
  .string()
  .regex(/^\d{1,5}$/, PORT)
  .transform(Number)
  .refine((number) => number <= 65_535, PORT);

const schema = z.strictObject({
  PORT: port.default(DEFAULT_PORT),
  HOST: z.string().default(DEFAULT_HOST),
  METRICS_PORT: port.optional(),
  ADMIN_PASSWORD_HASH: z.string().optional(),
  SEARCHGATE_ADMIN_ORGANIZATION: ledgerIdSchema.optional(),
  SEARCHGATE_CONFIG: z.string().optional(),
  SEARCHGATE_LEDGER: z.string().optional(),
  SEARCHGATE_DOCS_DIR: z.string().optional(),
  SEARCHGATE_DOCS_BASE_URL: z.url({ protocol: /^https?$/, error: 'an absolute http(s) URL' }).optional(),
  SEARCHGATE_DRAIN_DELAY_MS: z
    .string()
    .regex(/^\d{1,5}$/, DRAIN_DELAY)
    .transform(Number)
    .refine((delay) => delay <= MAX_DRAIN_DELAY_MS, DRAIN_DELAY)
    .optional(),
  [TENANT_KEYS_SECRET]: z
    .string()
    .regex(TENANT_KEYS_SECRETS, '32 random bytes in base64 (openssl rand -base64 32), or two such with a comma between')
    .transform((secrets) => secrets.split(','))
    .optional(),
  SEARCHGATE_TRUST_PROXY: trustProxyVariable.optional(),
  SEARCHGATE_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'trace, debug, info, warn, error or silent')
    .default('info'),
  SEARCHGATE_LOG_FORMAT: z.enum(['pino', 'iso'], 'pino or iso').default('pino'),
});

/**
 * Reads the environment. An empty variable counts as absent; an unknown `SEARCHGATE_…` variable is an error.
 *
 * @throws ConfigurationError naming each invalid variable.
 */
export function readEnvironment(environment: Environment) {
  const given = setVariables(environment);
  const settings = parseOwn(given);
  return {
    port: settings.PORT,
    host: settings.HOST,
    /** How long calls are still served after SIGTERM; `null` if unset here. The file may set it instead. */
    drainDelayMs: settings.SEARCHGATE_DRAIN_DELAY_MS ?? null,
    /** The trusted proxies; `null` if unset here. The file may set them instead. */
    trustProxy: settings.SEARCHGATE_TRUST_PROXY ?? null,
    logLevel: settings.SEARCHGATE_LOG_LEVEL,
    /** `iso`: the level as a word, and the time as an ISO date-time. */
    logFormat: settings.SEARCHGATE_LOG_FORMAT,
    /** Path of the JSON configuration; `null` for the demo. */
    configFile: settings.SEARCHGATE_CONFIG ?? null,
    ledger: parseLedgerAddress(settings.SEARCHGATE_LEDGER),
    /** What seals vendor keys of organizations, the first of several that open them; `null` where organizations have none. */
    tenantKeysSecrets: settings[TENANT_KEYS_SECRET] ?? null,
    /** Hash of the operators' password; `null` to make a password. */
    adminPasswordHash: passwordHashOf(settings),
    /** The organization that pays for questions on the page for operators; `null` for the first organization of the configuration. */
    adminOrganization: settings.SEARCHGATE_ADMIN_ORGANIZATION ?? null,
    /** The port of the metrics; `null` for none. */
    metricsPort: settings.METRICS_PORT ?? null,
    /** The documents folder and the base URL of its files; `null` for the documentation of Searchgate and its libraries. */
    docs: docsOf(settings),
  };
}

/** The checked environment. */
export type Settings = Readonly<ReturnType<typeof readEnvironment>>;

/** Reads the ledger's address for a separate command. @throws ConfigurationError as {@link readEnvironment}: a misspelt variable would select another ledger. */
export function readLedgerAddress(environment: Environment): LedgerAddress {
  return parseLedgerAddress(parseOwn(setVariables(environment)).SEARCHGATE_LEDGER);
}

/** Reads the secrets of vendor keys for a separate command; none where there is no variable. @throws ConfigurationError as {@link readEnvironment}. */
export function readTenantKeysSecrets(environment: Environment): readonly string[] {
  return parseOwn(setVariables(environment))[TENANT_KEYS_SECRET] ?? [];
}

function setVariables(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
}

function parseOwn(given: Environment): z.output<typeof schema> {
  const own = Object.entries(given).filter(
    ([name]) => Object.hasOwn(schema.shape, name) || name.startsWith(OWN_PREFIX),
  );
  refuse(own.filter(([, value]) => IN_QUOTES.test(value ?? '')).map(([path]) => ({ path, ...QUOTED })));
  return parseOptions(schema, Object.fromEntries(own), '');
}

/** An invalid value is not shown: it may be the password itself. */
function passwordHashOf({ ADMIN_PASSWORD_HASH: hash }: z.output<typeof schema>): string | null {
  if (hash === undefined || isPasswordHash(hash)) return hash ?? null;
  throw problem('ADMIN_PASSWORD_HASH', 'a malformed value (not shown)', 'what `searchgate password-hash` prints');
}

function docsOf(settings: z.output<typeof schema>): { folder: string; baseUrl: string; isServedHere: boolean } | null {
  const { PORT: ownPort, HOST: host, SEARCHGATE_DOCS_DIR: folder, SEARCHGATE_DOCS_BASE_URL: baseUrl } = settings;
  if (folder === undefined) {
    if (baseUrl === undefined) return null;
    throw problem('SEARCHGATE_DOCS_BASE_URL', 'a value', 'SEARCHGATE_DOCS_DIR to be set as well');
  }
  if (baseUrl !== undefined) return { folder, baseUrl, isServedHere: false };
  const expected = 'the public address of the documents, since PORT=0 leaves ours open';
  if (ownPort === 0) throw problem('SEARCHGATE_DOCS_BASE_URL', 'nothing', expected);
  return { folder, baseUrl: `${urlOf(host, ownPort)}/docs/`, isServedHere: true };
}

/** The address for a browser on this machine. */
export function urlOf(host: string, portNumber: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${portNumber}`;
}

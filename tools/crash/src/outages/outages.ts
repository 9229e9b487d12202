import type { ServerOptions } from './staged-callers.js';
import * as engines from './staged-engines.js';
import type { Conduct } from './staged-upstream.js';

/** An outage, and what tells of it. */
export interface Outage {
  readonly name: string;
  /** The alerts that have to fire within three minutes. */
  readonly alerts: readonly string[];
  /** Default: longer than any alert waits. */
  readonly lastsMs?: number;
  /** What Exa does meanwhile. */
  readonly conduct?: Conduct;
  /** Whether Exa is reached over TLS, and its certificate expires. */
  readonly expires?: true;
  /** Whether the last process stands still. */
  readonly freezes?: true;
  /** How long each answer takes. */
  readonly delayMs?: number;
  readonly server?: Partial<ServerOptions>;
  /** Default: SQLite, which does not fail. */
  readonly engine?: () => Promise<engines.StagedEngine>;
}

const LEDGER = ['SearchgateErrors', 'SearchgateLedgerDown'];
/** Slow enough that calls are under way when the ledger fails: their charges wait. */
const CHARGES = {
  delayMs: 2_000,
  alerts: [...LEDGER, 'SearchgateChargesWaiting', 'SearchgateLedgerFails'],
};
const PROVIDER = ['SearchgateErrors', 'SearchgateProviderFails', 'SearchgateProviderPaused'];
const HANGS = [...PROVIDER, 'SearchgateProviderHangs'];
const ACCOUNT = [...PROVIDER, 'SearchgateProviderAccount', 'SearchgateProviderKey'];
const TWO = { processes: 2 };
const HEDGE = { afterMs: 1_000, with: 'local/search', maxExtraCost: '0.01' };
/** For as many calls as there are before the outage. */
const POOR = { credits: '0.60', organizations: 1 };

export const OUTAGES: readonly Outage[] = [
  { name: 'PostgreSQL is gone for 79 seconds', alerts: LEDGER, lastsMs: 79_000, engine: engines.killedPostgres },
  { name: 'PostgreSQL is read-only', ...CHARGES, engine: engines.readOnlyPostgres },
  { name: 'Redis takes no writes', ...CHARGES, engine: engines.readOnlyRedis },
  { name: 'the disk is full', ...CHARGES, engine: engines.sqliteOnSmallDisk },
  {
    name: 'one of two processes is frozen',
    alerts: ['SearchgateDown', 'SearchgateHoldsExpired'],
    lastsMs: 106_000,
    delayMs: 2_000,
    freezes: true,
    server: TWO,
    engine: engines.postgres,
  },
  { name: 'a provider says nothing', alerts: HANGS, conduct: 'says nothing' },
  { name: 'a provider stalls after its headers', alerts: HANGS, conduct: 'stalls after its headers' },
  { name: 'a certificate has expired', alerts: PROVIDER, expires: true },
  { name: 'a provider refuses our keys', alerts: ACCOUNT, conduct: 'refuses our keys' },
  {
    name: 'one of two accounts is out of credit',
    alerts: ['SearchgateProviderKey'],
    conduct: 'has no credit for the first key',
  },
  { name: 'all accounts are out of credit', alerts: ACCOUNT, conduct: 'has no credit' },
  { name: 'the credits of a customer end', alerts: ['SearchgateBudgetRefused'], server: POOR },
  {
    name: 'a provider is slow',
    alerts: ['SearchgateSlow'],
    conduct: 'is slow',
    server: { endpoint: 'search' },
  },
  { name: 'a provider names wrong costs', alerts: ['SearchgateCostWrong'], conduct: 'names a wrong cost' },
  {
    name: 'a provider with a fallback refuses our keys',
    alerts: ACCOUNT.slice(1),
    conduct: 'refuses our keys',
    server: { routing: { fallbacks: { 'exa/answer': ['local/docs'] } } },
  },
  {
    name: 'a provider with a hedge is slow',
    alerts: [],
    conduct: 'is slow',
    server: { endpoint: 'search', routing: { hedging: { 'exa/auto': HEDGE, maxShare: 1 } } },
  },
];

import {
  killedPostgres,
  postgres,
  readOnlyPostgres,
  readOnlyRedis,
  type StagedEngine,
  sqlite,
  sqliteOnSmallDisk,
} from './staged-engines.js';
import type { ServerOptions } from './staged-server.js';
import type { Conduct } from './staged-upstream.js';

/** An outage, and what tells of it. */
export interface Outage {
  readonly name: string;
  /** The alerts that have to fire within three minutes, and no others. */
  readonly alerts: readonly string[];
  readonly lastsMs: number;
  /** What Exa does meanwhile. */
  readonly conduct?: Conduct;
  /** Whether Exa is reached over TLS, and its certificate expires. */
  readonly expires?: true;
  /** Whether the last process stands still. */
  readonly freezes?: true;
  /** How long each answer takes. */
  readonly delayMs?: number;
  readonly server?: Partial<ServerOptions>;
  engine(): Promise<StagedEngine>;
}

/** Longer than any alert waits. */
const LONG_MS = 151_000;
const STORE_ALERTS = ['SearchgateErrors', 'SearchgateLedgerDown'];
const PROVIDER_ALERTS = ['SearchgateErrors', 'SearchgateProviderFails', 'SearchgateProviderPaused'];
/** Calls under way when the ledger fails, whose charges have to wait. */
const SLOW_ANSWERS = { delayMs: 2_000 };
const CHARGE_ALERTS = ['SearchgateChargesWaiting', 'SearchgateErrors', 'SearchgateLedgerDown', 'SearchgateLedgerFails'];

export const OUTAGES: readonly Outage[] = [
  { name: 'PostgreSQL is gone for 79 seconds', alerts: STORE_ALERTS, lastsMs: 79_000, engine: killedPostgres },
  {
    name: 'PostgreSQL is read-only',
    alerts: CHARGE_ALERTS,
    lastsMs: LONG_MS,
    ...SLOW_ANSWERS,
    engine: readOnlyPostgres,
  },
  { name: 'Redis takes no writes', alerts: CHARGE_ALERTS, lastsMs: LONG_MS, ...SLOW_ANSWERS, engine: readOnlyRedis },
  { name: 'the disk is full', alerts: CHARGE_ALERTS, lastsMs: LONG_MS, ...SLOW_ANSWERS, engine: sqliteOnSmallDisk },
  {
    name: 'one of two processes is frozen',
    alerts: ['SearchgateDown', 'SearchgateHoldsExpired'],
    lastsMs: 106_000,
    ...SLOW_ANSWERS,
    freezes: true,
    server: { processes: 2 },
    engine: postgres,
  },
  {
    name: 'a provider says nothing',
    alerts: [...PROVIDER_ALERTS, 'SearchgateProviderHangs'],
    lastsMs: LONG_MS,
    conduct: 'says nothing',
    engine: sqlite,
  },
  {
    name: 'a provider stalls after its headers',
    alerts: [...PROVIDER_ALERTS, 'SearchgateProviderHangs'],
    lastsMs: LONG_MS,
    conduct: 'stalls after its headers',
    engine: sqlite,
  },
  { name: 'a certificate has expired', alerts: PROVIDER_ALERTS, lastsMs: LONG_MS, expires: true, engine: sqlite },
  {
    name: 'a provider refuses our keys',
    alerts: [...PROVIDER_ALERTS, 'SearchgateProviderAccount', 'SearchgateProviderKey'],
    lastsMs: LONG_MS,
    conduct: 'refuses our keys',
    engine: sqlite,
  },
  {
    name: 'one of two accounts is out of credit',
    alerts: ['SearchgateProviderKey'],
    lastsMs: LONG_MS,
    conduct: 'has no credit for the first key',
    engine: sqlite,
  },
  {
    name: 'all accounts are out of credit',
    alerts: [...PROVIDER_ALERTS, 'SearchgateProviderAccount', 'SearchgateProviderKey'],
    lastsMs: LONG_MS,
    conduct: 'has no credit',
    engine: sqlite,
  },
  {
    name: 'the credits of a customer end',
    alerts: ['SearchgateBudgetRefused'],
    lastsMs: LONG_MS,
    // For about as many calls as there are before the outage.
    server: { credits: '0.60', organizations: 1 },
    engine: sqlite,
  },
  {
    name: 'a provider is slow',
    alerts: ['SearchgateProviderHangs', 'SearchgateSlow'],
    lastsMs: LONG_MS,
    conduct: 'is slow',
    server: { endpoint: 'search' },
    engine: sqlite,
  },
  {
    name: 'a provider names no cost',
    alerts: ['SearchgateCostUnknown'],
    lastsMs: LONG_MS,
    conduct: 'names no cost',
    engine: sqlite,
  },
  {
    name: 'a provider names wrong costs',
    alerts: ['SearchgateCostWrong'],
    lastsMs: LONG_MS,
    conduct: 'names a wrong cost',
    engine: sqlite,
  },
];

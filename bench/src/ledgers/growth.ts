import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Ledger, memoryApiKeys } from '@searchgate/core';
import { type Administration, createAdministration, type StatementQuery } from '@searchgate/core/administration';
import type { EntryQuery } from '@searchgate/core/ledger';
import { DAY_MS, fillKey, fillOrganization, SHAPE } from '../growth/fill-size.js';
import { figure } from '../statistics.js';
import type { OpenedLedger } from './open-ledger.js';
import { verifyAudit } from './pairs.js';

/** What things take in a ledger of a certain size, in milliseconds: of what is done often, the median. */
export interface GrowthSample {
  readonly entries: number;
  readonly ms: Readonly<Record<string, number>>;
  /** Of the log, the counters and the sums; not a number for an empty ledger. */
  readonly bytesPerEntry: number;
}

const PAIRS_TIMED = 300;
const PAGES_TIMED = 20;
const STATEMENTS_TIMED = 5;
const PAGE_SIZE = 100;
const COST = 1_000_000n;
const NANOS_PER_MS = 1_000_000;

/** Fills an empty ledger and measures it. @throws Error when an audit finds a difference. */
export async function measureFilled(opened: OpenedLedger, entries: number): Promise<GrowthSample> {
  const { ledger } = opened;
  const emptyBytes = await opened.storedBytes();
  await opened.fill({ entries, ...SHAPE });
  const bytesPerEntry = entries === 0 ? Number.NaN : ((await opened.storedBytes()) - emptyBytes) / entries;
  const administration = createAdministration({ ledger, apiKeys: memoryApiKeys() });
  const pairs = await timePairs(ledger);
  const pages = await timePages(ledger);
  const statements = await timeStatements(administration);
  const audit = await timeAudit(ledger);
  return { entries, bytesPerEntry, ms: { ...pairs, ...pages, ...statements, ...audit } };
}

/** One at a time, of all keys in turn. */
async function timePairs(ledger: Ledger): Promise<GrowthSample['ms']> {
  const [holdsMs, settlesMs]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < PAIRS_TIMED; pair += 1) {
    const holdId = `timed-${pair}`;
    const owner = { organizationId: fillOrganization(pair), keyId: fillKey(pair), keyLimit: null };
    const hold = { holdId, ...owner, amount: COST, expiresAtMs: Date.now() + DAY_MS, model: 'exa/model-0' };
    const charge = { cost: COST, model: 'exa/model-0', provider: 'exa', costSource: 'reported' } as const;
    holdsMs.push(await timeOf(() => ledger.hold(hold)));
    settlesMs.push(await timeOf(() => ledger.settle(holdId, charge)));
  }
  return { hold: figure(holdsMs).median, settle: figure(settlesMs).median };
}

async function timePages(ledger: Ledger): Promise<GrowthSample['ms']> {
  const nowMs = Date.now();
  const queries = {
    'page: first': {},
    'of a key, last month': { keyId: fillKey(7), fromMs: nowMs - 30 * DAY_MS },
    'last day': { fromMs: nowMs - DAY_MS },
  };
  const ms: Record<string, number> = {};
  for (const [name, query] of Object.entries<EntryQuery>(queries)) {
    ms[name] = await medianOf(PAGES_TIMED, () => ledger.entries({ limit: PAGE_SIZE, ...query }));
  }
  return ms;
}

async function timeStatements(administration: Administration): Promise<GrowthSample['ms']> {
  const date = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const year = { from: date(SHAPE.days - 5), to: date(3) };
  const queries: Record<string, StatementQuery> = {
    'statement: day': { by: 'day' },
    model: { by: 'model' },
    key: { by: 'key' },
    organization: { by: 'organization' },
    tag: { by: 'tag' },
    'key, 392 days': { by: 'key', ...year },
    'model, 392 days': { by: 'model', ...year },
    'day, of one organization': { by: 'day', organizationId: fillOrganization(7), ...year },
    'day, of one key': { by: 'day', keyId: fillKey(7), ...year },
  };
  const ms: Record<string, number> = {};
  for (const [name, query] of Object.entries(queries)) {
    ms[name] = await medianOf(STATEMENTS_TIMED, () => administration.statement(query));
  }
  return ms;
}

/** The audit, and how late a timer of the process ran during it; not numbers where there is no audit. */
async function timeAudit(ledger: OpenedLedger['ledger']): Promise<GrowthSample['ms']> {
  if (ledger.audit === undefined) return { verify: Number.NaN, pause: Number.NaN };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const verify = await timeOf(() => verifyAudit(ledger));
  delay.disable();
  return { verify, pause: delay.max / NANOS_PER_MS };
}

async function medianOf(times: number, work: () => Promise<unknown>): Promise<number> {
  const measuredMs: number[] = [];
  for (let turn = 0; turn < times; turn += 1) measuredMs.push(await timeOf(work));
  return figure(measuredMs).median;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

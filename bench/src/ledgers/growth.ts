import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Ledger, memoryApiKeys } from '@searchgate/core';
import type { EntryQuery } from '@searchgate/core/ledger';
import { figure } from '../statistics.js';
import type { OpenedLedger } from './open-ledger.js';
import { hold, holdAndSettle, MANY, organizationName, settle, verifyAudit, verifyCharges } from './pairs.js';

/** What things take in a ledger of a certain size, in milliseconds: of what is done often, the median. */
export interface GrowthSample {
  readonly answers: number;
  readonly ms: Readonly<Record<string, number>>;
  /** Of the answers since the size before; not a number where there were none. */
  readonly bytesPerAnswer: number;
}

/** Enough that engines share what they can share. */
const CALLERS = 512;
/** So many answers after the beginning, and before the end, are the times that pages are asked for. */
const ANSWERS_ASIDE = 2_000;
const PAIRS_TIMED = 200;
const PAGES_TIMED = 20;
const PAGE_SIZE = 100;
const NANOS_PER_MS = 1_000_000;

/** Lets a ledger grow by its own holds and settles, so that its counters are right and its rows are those of real answers. */
export async function createGrowingLedger(opened: OpenedLedger) {
  const { ledger } = opened;
  // Loaded here, so that checkouts without it can be compared.
  const { createAdministration } = await import('@searchgate/core/administration');
  const apiKeys = memoryApiKeys();
  const administration = createAdministration({ ledger, apiKeys });
  const owner = organizationName(0);
  await apiKeys.insertOrganization({ id: owner, name: null, createdAtMs: 0, suspendedAtMs: null });
  let done = 0;
  let [earlyMs, lateMs] = [Date.now(), Date.now()];
  let before = { answers: 0, bytes: await opened.storedBytes() };

  async function chargeUpTo(answers: number): Promise<void> {
    const call = async () => {
      while (done < answers) await holdAndSettle(ledger, done++, MANY);
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
  }

  return {
    async growTo(answers: number): Promise<void> {
      if (done < ANSWERS_ASIDE) {
        await chargeUpTo(Math.min(answers, ANSWERS_ASIDE));
        earlyMs = Date.now();
      }
      await chargeUpTo(answers - ANSWERS_ASIDE);
      lateMs = Date.now();
      await chargeUpTo(answers);
    },
    /** @throws Error when an audit finds a difference. */
    async measure(): Promise<GrowthSample> {
      const now = { answers: done, bytes: await opened.storedBytes() };
      const bytesPerAnswer = (now.bytes - before.bytes) / (now.answers - before.answers || Number.NaN);
      before = now;
      await verifyCharges(ledger, done);
      const pages = await timePages(ledger, earlyMs, lateMs);
      const statement = await timeOf(() => administration.statement({ by: 'model', organizationId: owner }));
      const audit = await timeAudit(ledger);
      const pairs = await timePairs(ledger, () => done++);
      return { answers: now.answers, bytesPerAnswer, ms: { ...pairs, ...pages, statement, ...audit } };
    },
  };
}

async function timePairs(ledger: Ledger, nextIndex: () => number): Promise<GrowthSample['ms']> {
  const [holdsMs, settlesMs]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < PAIRS_TIMED; pair += 1) {
    const index = nextIndex();
    holdsMs.push(await timeOf(() => hold(ledger, index, MANY)));
    settlesMs.push(await timeOf(() => settle(ledger, index)));
  }
  return { hold: figure(holdsMs).median, settle: figure(settlesMs).median };
}

async function timePages(ledger: Ledger, earlyMs: number, lateMs: number): Promise<GrowthSample['ms']> {
  const { nextCursor } = await ledger.entries({ fromMs: lateMs, limit: PAGE_SIZE });
  const last = nextCursor === null ? {} : { cursor: nextCursor };
  const queries = { 'page: first': {}, last, 'to early': { toMs: earlyMs }, 'from late': { fromMs: lateMs } };
  const ms: Record<string, number> = {};
  for (const [name, query] of Object.entries<EntryQuery>(queries)) {
    const timesMs: number[] = [];
    for (let turn = 0; turn < PAGES_TIMED; turn += 1) {
      timesMs.push(await timeOf(() => ledger.entries({ limit: PAGE_SIZE, ...query })));
    }
    ms[name] = figure(timesMs).median;
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

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

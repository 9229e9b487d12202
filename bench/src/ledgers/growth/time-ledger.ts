import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Ledger } from '@searchgate/core';
import type { EntryQuery } from '@searchgate/core/ledger';
import { figureAt } from '../../statistics.js';
import { hold, holdId, organizationName, settle } from '../hold-and-settle.js';
import { MANY_ORGANIZATIONS } from '../ledger-case.js';
import type { OpenedLedger } from '../loads/opened-ledger.js';
import { verifyAudit } from '../loads/verify-books.js';
import type { Audit, GrowthSample, PageTimes } from './growth-sample.js';

/** Soon after the first entries, and shortly before the last. Milliseconds since the Unix epoch. */
export interface AskedTimes {
  readonly earlyMs: number;
  readonly lateMs: number;
}

const PAIRS_TIMED = 200;
const PAGES_TIMED = 20;
const PAGE_SIZE = 100;
const NANOS_PER_MS = 1_000_000;

export async function timePairs(
  ledger: Ledger,
  nextIndex: () => number,
): Promise<Pick<GrowthSample, 'holdMs' | 'settleMs'>> {
  const holdsMs: number[] = [];
  const settlesMs: number[] = [];
  for (let pair = 0; pair < PAIRS_TIMED; pair += 1) {
    const index = nextIndex();
    const id = holdId(index);
    holdsMs.push(await timeOf(() => hold(ledger, id, organizationName(index % MANY_ORGANIZATIONS))));
    settlesMs.push(await timeOf(() => settle(ledger, id)));
  }
  return { holdMs: middle(holdsMs), settleMs: middle(settlesMs) };
}

export async function timePages(ledger: Ledger, { earlyMs, lateMs }: AskedTimes): Promise<PageTimes> {
  const { nextCursor } = await ledger.entries({ fromMs: lateMs, limit: PAGE_SIZE });
  return {
    first: await timePage(ledger, {}),
    last: await timePage(ledger, nextCursor === null ? {} : { cursor: nextCursor }),
    toEarly: await timePage(ledger, { toMs: earlyMs }),
    fromLate: await timePage(ledger, { fromMs: lateMs }),
  };
}

/** @throws Error when it finds anything. */
export async function timeAudit({ ledger }: OpenedLedger): Promise<Audit | null> {
  if (ledger.audit === undefined) return null;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedMs = performance.now();
  const report = await ledger.audit();
  const ms = performance.now() - startedMs;
  delay.disable();
  verifyAudit(report);
  return { ms, longestPauseMs: delay.max / NANOS_PER_MS };
}

export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function timePage(ledger: Ledger, query: EntryQuery): Promise<number> {
  const timesMs: number[] = [];
  for (let page = 0; page < PAGES_TIMED; page += 1) {
    timesMs.push(await timeOf(() => ledger.entries({ limit: PAGE_SIZE, ...query })));
  }
  return middle(timesMs);
}

function middle(timesMs: readonly number[]): number {
  return figureAt(Float64Array.from(timesMs).sort(), 0.5);
}

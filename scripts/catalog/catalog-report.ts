import type { PriceFact } from './price-facts.js';
import { textTable } from './text-table.js';

/** A fact read longer ago than this has to be read again. */
export const MAX_AGE_DAYS = 90;

const DAY_MS = 86_400_000;

export interface CatalogReport {
  /** Prices that hold now or will, read more than {@link MAX_AGE_DAYS} ago; the oldest first. */
  readonly stale: readonly PriceFact[];
  /** Prices that begin in the future; the next first. */
  readonly scheduled: readonly ScheduledChange[];
  readonly text: string;
}

interface ScheduledChange extends PriceFact {
  readonly validFrom: string;
  /** What is replaced. */
  readonly before: string;
}

/** Tells which prices have to be looked up again, and which are about to change. Dates begin at midnight UTC. */
export function reportCatalog(facts: readonly PriceFact[], nowMs: number): CatalogReport {
  const stale = facts
    .filter(({ validUntil }) => validUntil === null || Date.parse(validUntil) > nowMs)
    .filter(({ asOf }) => ageDays(asOf, nowMs) > MAX_AGE_DAYS)
    .sort((a, b) => compare(a.asOf, b.asOf) || compare(a.slug, b.slug));
  const scheduled = facts
    .flatMap((fact) =>
      fact.validFrom === null ? [] : [{ ...fact, validFrom: fact.validFrom, before: before(fact, facts) }],
    )
    .filter(({ validFrom }) => Date.parse(validFrom) > nowMs)
    .sort((a, b) => compare(a.validFrom, b.validFrom) || compare(a.slug, b.slug));
  const blocks = [staleTable(stale, nowMs), scheduledTable(scheduled), summary(facts, { stale, scheduled, nowMs })];
  return { stale, scheduled, text: blocks.filter((block) => block !== '').join('\n\n') };
}

function staleTable(stale: readonly PriceFact[], nowMs: number): string {
  if (stale.length === 0) return '';
  const head = ['model', 'price', 'as of', 'days', 'confidence', 'source'];
  const rows = stale.map(({ slug, price, asOf, confidence, source }) => {
    return [slug, price, asOf, String(ageDays(asOf, nowMs)), confidence, source];
  });
  return `Older than ${MAX_AGE_DAYS} days:\n${textTable([head, ...rows])}`;
}

function scheduledTable(scheduled: readonly ScheduledChange[]): string {
  if (scheduled.length === 0) return '';
  const head = ['model', 'from', 'price', 'instead of', 'source'];
  const rows = scheduled.map((change) => [change.slug, change.validFrom, change.price, change.before, change.source]);
  return `Scheduled price changes:\n${textTable([head, ...rows])}`;
}

interface Findings extends Pick<CatalogReport, 'stale' | 'scheduled'> {
  readonly nowMs: number;
}

function summary(facts: readonly PriceFact[], { stale, scheduled, nowMs }: Findings): string {
  const models = new Set(facts.map(({ slug }) => slug)).size;
  const date = new Date(nowMs).toISOString().slice(0, 10);
  const findings = `${stale.length} older than ${MAX_AGE_DAYS} days, ${scheduled.length} scheduled to change`;
  return `${date}: ${facts.length} prices of ${models} models: ${findings}.`;
}

function before({ slug, validFrom }: PriceFact, facts: readonly PriceFact[]): string {
  return facts.find((other) => other.slug === slug && other.validUntil === validFrom)?.price ?? 'nothing';
}

function ageDays(asOf: string, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(asOf)) / DAY_MS);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

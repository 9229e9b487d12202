import { inspect } from 'node:util';
import type { Ledger } from '@searchgate/core';
import type { DurableLedger } from '@searchgate/core/ledger';
import { figureAt } from '../statistics.js';

export interface LedgerCase {
  /** How many organizations the pairs go round, each with a key of its own. */
  readonly organizations: number;
  /** How many loops of one process each wait for one call before the next. */
  readonly callers: number;
}

export interface PairLoad extends LedgerCase {
  readonly durationMs: number;
}

export interface PairSample {
  readonly pairs: number;
  readonly pairsPerSecond: number;
  readonly p50Ms: number;
  /** Null where the tool cannot tell it of a pair. */
  readonly p99Ms: number | null;
}

/** What an engine itself can do with the statements that the ledger sends for a pair. */
export interface Floor {
  nameFor(of: LedgerCase): string;
  pairs(load: PairLoad): Promise<PairSample>;
  /** @throws Error when what was acknowledged is not what is stored: such a run says nothing. */
  verify(): Promise<void>;
  stop(): Promise<void>;
}

export const MANY = 1_000;
export const ALONE: LedgerCase = { organizations: MANY, callers: 1 };
export const BUSY: LedgerCase = { organizations: MANY, callers: 64 };
export const HOT: LedgerCase = { organizations: 1, callers: 64 };
export const LEDGER_CASES: readonly LedgerCase[] = [{ organizations: 1, callers: 1 }, HOT, ALONE, BUSY];

/** What every pair holds and charges, in nanodollars. */
const COST = 5_000_000n;
/** Credits of every organization: more than any run can spend. */
const CREDITS = COST * 1_000_000_000n;
const FAR_AHEAD_MS = 3_600_000;
const ID_DIGITS = 26;

export function organizationName(index: number): string {
  return `organization-${index}`;
}

/** As long as the gateway's own. */
export function holdId(index: number): string {
  return `ans_${index.toString().padStart(ID_DIGITS, '0')}`;
}

/** Holds and settles as the gateway does: an id per call, a key with a limit, an expiry. */
export async function holdAndSettle(ledger: Ledger, index: number, organizations: number): Promise<void> {
  await hold(ledger, index, organizations);
  await settle(ledger, index);
}

export async function hold(ledger: Ledger, index: number, organizations: number): Promise<void> {
  const organizationId = organizationName(index % organizations);
  const held = await ledger.hold({
    holdId: holdId(index),
    organizationId,
    keyId: `key-of-${organizationId}`,
    keyLimit: CREDITS,
    amount: COST,
    expiresAtMs: Date.now() + FAR_AHEAD_MS,
    model: 'exa/answer',
  });
  if (held.status !== 'held') throw new Error('the ledger refused a hold it has room for');
}

export async function settle(ledger: Ledger, index: number): Promise<void> {
  await ledger.settle(holdId(index), { cost: COST, model: 'exa/answer', provider: 'exa', costSource: 'reported' });
}

export async function grantAll(ledger: Ledger, organizationIds = names()): Promise<void> {
  const grant = (id: string) =>
    ledger.grant({ grantId: `grant-${id}`, organizationId: id, amount: CREDITS, note: 'benchmark' });
  await Promise.all(organizationIds.map(grant));
}

/** How many pairs the ledger has charged and how many it still holds, by its counters. */
export async function countPairs(
  ledger: Ledger,
  organizationIds = names(),
): Promise<{ charged: number; held: number }> {
  const totals = await Promise.all(organizationIds.map((id) => ledger.organizationTotals(id)));
  const sum = (amounts: bigint[]) => Number(amounts.reduce((total, amount) => total + amount, 0n) / COST);
  return { charged: sum(totals.map(({ usage }) => usage)), held: sum(totals.map(({ held }) => held)) };
}

/** @throws Error when the counters do not hold exactly what was done. */
export async function verifyCharges(ledger: Ledger, done: number): Promise<void> {
  const { charged, held } = await countPairs(ledger);
  if (charged !== done || held !== 0)
    throw new Error(`${done} pairs were acknowledged, ${charged} charged, ${held} held`);
}

/** @throws Error when an audit finds a difference, or a hold that has not ended. */
export async function verifyAudit(ledger: Partial<Pick<DurableLedger, 'audit'>>): Promise<void> {
  const report = await ledger.audit?.();
  if (report === undefined || (report.differences.length === 0 && report.openHolds === 0)) return;
  throw new Error(`the audit found ${inspect(report)}`);
}

function names(): string[] {
  return Array.from({ length: MANY }, (_, index) => organizationName(index));
}

/** Puts other names into what a ledger has sent to its engine, so that it can be sent again. */
export function rename(text: string, ids: { readonly hold: string; readonly organization: string }): string {
  return text.replaceAll(/ans_\d{26}/g, ids.hold).replaceAll(/organization-\d+/g, ids.organization);
}

/** Lets `callers` loops do one pair after the other until the time is over. */
export async function runCallers(
  { callers, durationMs }: Omit<PairLoad, 'organizations'>,
  pair: () => Promise<unknown>,
): Promise<PairSample> {
  const latenciesMs: number[] = [];
  const startedMs = performance.now();
  const call = async (): Promise<void> => {
    for (let beganMs = performance.now(); beganMs < startedMs + durationMs; ) {
      await pair();
      const endedMs = performance.now();
      latenciesMs.push(endedMs - beganMs);
      beganMs = endedMs;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return sampleOf(latenciesMs, performance.now() - startedMs);
}

export function sampleOf(latenciesMs: readonly number[], elapsedMs: number): PairSample {
  const sorted = Float64Array.from(latenciesMs).sort();
  const pairsPerSecond = sorted.length / (elapsedMs / 1_000);
  return { pairs: sorted.length, pairsPerSecond, p50Ms: figureAt(sorted, 0.5), p99Ms: figureAt(sorted, 0.99) };
}

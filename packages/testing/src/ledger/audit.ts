import assert from 'node:assert/strict';
import type { HoldEnding, HoldRequest, Ledger, LedgerEntry, Loss } from '@searchgate/core/ledger';
import { allEntries, assertKey, assertOrganization, assertWindows } from './observe.js';
import { assertUsageOfLog } from './observe-usage.js';
import type { Outcome, Step } from './steps.js';

/** A step with its outcome. */
export interface Taken {
  readonly step: Step;
  readonly outcome: Outcome;
}

/** The limit of every key. */
export type KeyLimits = ReadonlyMap<string, bigint | null>;

interface HoldStory {
  /** With the amount held. */
  readonly request: HoldRequest;
  /** Every answered settle and release of the hold, with its arguments. */
  readonly endings: readonly { readonly ending: HoldEnding; readonly losses: readonly Loss[] }[];
  readonly charges: readonly (LedgerEntry & { readonly kind: 'charge' })[];
  readonly losses: readonly LedgerEntry[];
  readonly expired: boolean;
}

/**
 * Checks the ledger against all answers, whatever the order of the steps: counters equal the log, the log equals the answers, every hold ended
 * at most once, and holds never exceeded a budget. All steps must have happened on one day.
 *
 * @returns the number of open holds.
 */
export async function audit(ledger: Ledger, history: readonly Taken[], limits: KeyLimits): Promise<number> {
  const entries = await allEntries(ledger);
  const stories = storiesOf(history, entries);
  for (const story of stories) checkStory(story);
  checkLogIsComplete(history, { entries, stories });
  const open = stories.filter(isOpen);
  for (const id of new Set([...history.flatMap(organizationsOf), ...entries.map((entry) => entry.organizationId)])) {
    const own = entries.filter((entry) => entry.organizationId === id);
    const credits = sum(own, (entry) => (entry.kind === 'grant' ? entry.amount : 0n));
    const held = sum(open, ({ request }) => (request.organizationId === id ? request.amount : 0n));
    await assertOrganization(ledger, { credits, usage: usageOf(own), held }, id);
    const overshoot = overshootOf(stories, own);
    assert.ok(usageOf(own) + held - credits <= overshoot, `the holds of ${id} exceeded its balance`);
  }
  for (const [id, limit] of limits) {
    const own = entries.filter((entry) => entry.keyId === id);
    const held = sum(open, ({ request }) => (request.keyId === id ? request.amount : 0n));
    const usage = usageOf(own);
    await assertKey(ledger, { usage, held }, id);
    await assertWindows(ledger, { daily: usage, weekly: usage, monthly: usage }, id);
    const overshoot = overshootOf(stories, own);
    assert.ok(limit === null || usage + held - limit <= overshoot, `the holds of ${id} exceeded its limit`);
  }
  await assertUsageOfLog(ledger, entries);
  return open.length;
}

function storiesOf(history: readonly Taken[], entries: readonly LedgerEntry[]): HoldStory[] {
  const requests = history.flatMap(({ step, outcome }) => {
    const held = heldAmount(outcome);
    return step.operation === 'hold' && held !== undefined ? [{ ...step.request, amount: held }] : [];
  });
  const ids = requests.map(({ holdId }) => holdId);
  assert.equal(new Set(ids).size, ids.length, 'no id is accepted twice');
  return requests.map((request) => {
    const { holdId } = request;
    return {
      request,
      endings: history.flatMap((taken) => endingOf(taken, holdId)),
      charges: entries.filter((entry) => entry.kind === 'charge').filter(({ id }) => id === holdId),
      losses: entries.filter(({ kind, id }) => kind === 'loss' && id.startsWith(`${holdId}.loss.`)),
      expired: entries.some(({ kind, id }) => kind === 'expired' && id === `${holdId}.expired`),
    };
  });
}

/** A hold ended at most once, or expired and then ended once more; its charge and the results of later endings follow from that. */
function checkStory({ request, endings, charges, losses, expired }: HoldStory): void {
  const { holdId } = request;
  const [first, ...others] = endings.filter(({ ending }) => ending.first);
  assert.deepEqual(others, [], `${holdId} ended once`);
  const [charge, ...more] = charges;
  assert.deepEqual(more, [], `${holdId} was charged once`);
  if (first?.ending.status === 'settled') {
    assert.deepEqual([charge?.amount, charge?.late], [first.ending.cost, expired], `the charge of ${holdId}`);
  } else {
    assert.equal(charge, undefined, `${holdId} was charged although it was not settled`);
  }
  assert.deepEqual(
    losses.map((entry) => entry.amount),
    (first?.losses ?? []).map(({ cost }) => cost),
    `the losses of ${holdId}`,
  );
  for (const { ending } of endings) {
    assert.deepEqual({ ...ending, first: true }, { ...first?.ending }, `an ending of ${holdId}`);
  }
}

interface LedgerRecords {
  readonly entries: readonly LedgerEntry[];
  readonly stories: readonly HoldStory[];
}

/** Entries and effective steps correspond one to one. */
function checkLogIsComplete(history: readonly Taken[], { entries, stories }: LedgerRecords): void {
  const applied = history.flatMap(({ step, outcome }) => {
    if (!('result' in outcome) || !(outcome.result as { applied?: boolean }).applied) return [];
    if (step.operation === 'grant') return [`grant ${step.grant.grantId}`];
    return step.operation === 'adjust' ? [`adjustment ${step.adjustment.adjustmentId}`] : [];
  });
  const ofHolds = stories.flatMap(({ request: { holdId }, charges, losses, expired }) => [
    ...charges.map(() => `charge ${holdId}`),
    ...losses.map(({ id }) => `loss ${id}`),
    ...(expired ? [`expired ${holdId}.expired`] : []),
  ]);
  const written = entries.map(({ kind, id }) => `${kind} ${id}`);
  assert.deepEqual(written.sort(), [...applied, ...ofHolds].sort(), 'the log matches the answers');
  const expiries = sum(history, ({ step, outcome }) => {
    return step.operation === 'expire' && 'result' in outcome ? BigInt(outcome.result as number) : 0n;
  });
  assert.equal(BigInt(stories.filter(({ expired }) => expired).length), expiries, 'sweeps count the holds they end');
}

/** The most by which settles above their holds, late settles and corrections may overdraw a budget (invariant 4). */
function overshootOf(stories: readonly HoldStory[], own: readonly LedgerEntry[]): bigint {
  return sum(own, (entry) => {
    if (entry.kind === 'adjustment') return atLeastZero(entry.amount);
    if (entry.kind !== 'charge' || entry.late) return entry.kind === 'charge' ? entry.amount : 0n;
    const held = stories.find(({ request }) => request.holdId === entry.id)?.request.amount ?? 0n;
    return atLeastZero(entry.amount - held);
  });
}

function usageOf(entries: readonly LedgerEntry[]): bigint {
  return sum(entries, ({ kind, amount }) => (kind === 'charge' || kind === 'adjustment' ? amount : 0n));
}

function isOpen({ endings, expired }: HoldStory): boolean {
  return !expired && !endings.some(({ ending }) => ending.first);
}

function heldAmount(outcome: Outcome): bigint | undefined {
  if (!('result' in outcome)) return undefined;
  const { status, amount } = outcome.result as { status?: string; amount?: bigint };
  return status === 'held' ? amount : undefined;
}

function endingOf({ step, outcome }: Taken, holdId: string): HoldStory['endings'] {
  if ((step.operation !== 'settle' && step.operation !== 'release') || step.holdId !== holdId || !('result' in outcome))
    return [];
  const { losses = [] } = step.operation === 'settle' ? step.charge : step.release;
  return [{ ending: outcome.result as HoldEnding, losses }];
}

function organizationsOf({ step }: Taken): string[] {
  return step.operation === 'hold' ? [step.request.organizationId] : [];
}

function atLeastZero(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

function sum<T>(items: readonly T[], amountOf: (item: T) => bigint): bigint {
  return items.reduce((total, item) => total + amountOf(item), 0n);
}

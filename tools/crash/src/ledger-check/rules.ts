import { type LedgerEntry, limitWindowAt } from '@searchgate/core/ledger';
import { FLAT } from '../upstream-dialects.js';
import type { Evidence } from './evidence.js';
import type { ChargeEntry, LedgerRecords } from './read-ledger.js';

/** A rule for every ledger, whatever was killed. @returns a sentence for every record that breaks it. */
export type Rule = (records: LedgerRecords, evidence: Evidence) => string[];

/** Every answer that a caller has received is in the ledger, with its price and owner. */
const everyAnswerIsCharged: Rule = ({ charges }, { acknowledged }) => {
  const byId = new Map(charges.map((charge) => [charge.id, charge]));
  return acknowledged.flatMap(({ id, cost, model, call }) => {
    const charge = byId.get(id);
    if (charge === undefined) return [`the answer ${id} was delivered and is not charged`];
    const { keyId, organizationId } = charge;
    const charged = show({ cost: charge.amount, model: charge.model, keyId, organizationId });
    const expected = show({ cost, model, keyId: call.key.id, organizationId: call.key.organizationId });
    return charged === expected ? [] : [`the answer ${id} is charged as ${charged}, but was ${expected}`];
  });
};

/** A charge counts in the budgets that its key named: all of them, and no others. */
const chargesNameTheirBudgets: Rule = ({ charges }, { keys }) => {
  const byKey = new Map(
    keys.map(({ id, budgets }) => [id, budgets.map((each) => idsOf(each.map((budget) => budget.id)))]),
  );
  return charges.flatMap(({ id, keyId, budgets = [] }) => {
    const named = byKey.get(keyId) ?? [];
    return named.includes(idsOf(budgets))
      ? []
      : [`${id} counts in "${idsOf(budgets)}", its key names "${named.join('" or "')}"`];
  });
};

/** At most one line per hold, grant or adjustment of a kind. */
const nothingIsEnteredTwice: Rule = ({ entries }) => {
  const seen = new Map<string, number>();
  for (const { kind, id } of entries) seen.set(`${kind} ${id}`, (seen.get(`${kind} ${id}`) ?? 0) + 1);
  return [...seen].flatMap(([entry, times]) => (times === 1 ? [] : [`${entry} is in the log ${times} times`]));
};

/** Every charge matches a call upstream: metered calls are identified by their cost, flat calls are counted per key. */
const everyChargeWasServed: Rule = ({ charges }, { upstreamCalls, keys }) => {
  const reported = new Set(upstreamCalls.map((call) => call.reported));
  const wrong: string[] = [];
  for (const { id, amount } of charges.filter(({ costSource }) => costSource === 'reported')) {
    // Removed once found: a second charge of the same call finds no match.
    if (!reported.delete(amount))
      wrong.push(`${id} charges ${amount}, which no call upstream cost, or another is charged`);
  }
  for (const { id: keyId } of keys) {
    const served = upstreamCalls.filter(({ model, question }) => model === FLAT && isBy(keyId, question)).length;
    const charged = charges.filter((charge) => charge.keyId === keyId && charge.costSource === 'flat').length;
    if (charged > served) wrong.push(`key ${keyId} is charged for ${charged} calls and made ${served}`);
  }
  const others = charges.filter(({ costSource }) => costSource !== 'reported' && costSource !== 'flat');
  return [...wrong, ...others.map(({ id, costSource }) => `${id} is charged by "${costSource}"`)];
};

/** All calls under one idempotency key get the same answer. */
const everyIdempotencyKeyHasOneAnswer: Rule = (_, { acknowledged }) => {
  const bodies = new Map<string, string>();
  return acknowledged.flatMap(({ id, body, call: { key, idempotencyKey } }) => {
    if (idempotencyKey === undefined) return [];
    const name = `${key.id} ${idempotencyKey}`;
    const first = bodies.get(name) ?? body;
    bodies.set(name, first);
    return first === body ? [] : [`the idempotency key ${name} was answered with ${id} and something else before`];
  });
};

/** The counters equal the sums of the log, computed independently. */
const countersEqualTheLog: Rule = ({ entries, organizationTotals, limits }) => {
  const wrong: string[] = [];
  const expect = (what: string, counted: bigint, added: bigint) => {
    if (counted !== added) wrong.push(`${what} is counted as ${counted}, but the log adds up to ${added}`);
  };
  for (const [id, totals] of organizationTotals) {
    const own = entries.filter(({ organizationId }) => organizationId === id);
    expect(`credits of ${id}`, totals.credits, sum(own.filter(({ kind }) => kind === 'grant')));
    expect(`usage of ${id}`, totals.usage, sum(own.filter(isUsage)));
  }
  for (const { name, totals, isOf } of limits)
    expect(`usage of ${name}`, totals.usage, sum(entries.filter((entry) => isOf(entry) && isUsage(entry))));
  return wrong;
};

/** The usage of a current window equals the log. After a clock is set back, a window that has begun stays current. */
const windowsEqualTheLog: Rule = ({ entries, limits }) =>
  limits.flatMap(({ name, limitReset, totals, isOf }) => {
    if (limitReset === null) return [];
    let startsAtMs = 0;
    let added = 0n;
    const moveTo = (atMs: number) => {
      const window = limitWindowAt(limitReset, atMs);
      if (window.startsAtMs > startsAtMs) [startsAtMs, added] = [window.startsAtMs, 0n];
    };
    for (const entry of entries.filter(isOf).filter(isUsage)) {
      moveTo(entry.atMs);
      added += entry.amount;
    }
    moveTo(Date.now());
    const counted = totals.windowUsage;
    return counted === added ? [] : [`${name} used ${counted} in its window, but the log adds up to ${added}`];
  });

/** An organization's holds equal the sum over its keys; no amount is held without a hold. */
const holdsAgree: Rule = ({ organizationTotals, keyTotals, budgetTotals, audit }, { keys }) => {
  const heldByKeys = (organizationId: string) =>
    keys
      .filter((key) => key.organizationId === organizationId)
      .reduce((total, { id }) => total + (keyTotals.get(id)?.held ?? 0n), 0n);
  const totals = [...organizationTotals];
  const wrong = totals.flatMap(([id, { held }]) =>
    held === heldByKeys(id) ? [] : [`${id} holds ${held}, its keys ${heldByKeys(id)}`],
  );
  const held = totals.reduce((sumOfHeld, [, { held: own }]) => sumOfHeld + own, 0n);
  if ((held === 0n) !== (audit.openHolds === 0)) wrong.push(`${audit.openHolds} open holds hold ${held}`);
  for (const [name, budget] of budgetTotals)
    if (budget.held < 0n || budget.held > held) wrong.push(`budget ${name} holds ${budget.held} of ${held}`);
  return wrong;
};

/** With prices never above the held amounts, no budget is exceeded, not even by a nanodollar. */
const noBudgetIsExceeded: Rule = ({ organizationTotals, limits }, { organizations }) => [
  ...organizations.flatMap(({ id, credits }) => {
    const totals = organizationTotals.get(id);
    if (totals?.credits !== credits) return [`${id} has credits ${totals?.credits} after a grant of ${credits}`];
    const spent = totals.usage + totals.held;
    return spent <= credits ? [] : [`${id} spent ${spent} of ${credits}`];
  }),
  ...limits.flatMap(({ name, limit, limitReset, totals }) => {
    if (limit === null) return [];
    const spent = (limitReset === null ? totals.usage : totals.windowUsage) + totals.held;
    return spent <= limit ? [] : [`${name} spent ${spent} of ${limit}`];
  }),
];

const theAuditAgrees: Rule = ({ audit, entries }) => [
  ...audit.differences.map((difference) => `the audit found ${show(difference)}`),
  ...(audit.entries === entries.length ? [] : [`the audit read ${audit.entries} entries of ${entries.length}`]),
];

/** A charge is marked late if and only if its hold had expired. */
const lateChargesAreMarked: Rule = ({ entries, charges }) => {
  const expired = new Set(entries.filter(({ kind }) => kind === 'expired').map(({ id }) => id));
  return charges.flatMap(({ id, late }: ChargeEntry) =>
    late === expired.has(`${id}.expired`) ? [] : [`${id} is ${late ? 'marked' : 'not marked'} late`],
  );
};

/** Generous for clocks of one machine; a wrong time zone or clock is far outside. */
const CLOCK_TOLERANCE_MS = 60_000;

const entriesAreStampedWithTheTrueTime: Rule = ({ entries }, { startedAtMs }) =>
  entries.flatMap(({ kind, id, atMs }) =>
    atMs >= startedAtMs - CLOCK_TOLERANCE_MS && atMs <= Date.now() + CLOCK_TOLERANCE_MS
      ? []
      : [`${kind} ${id} is stamped ${new Date(atMs).toISOString()}`],
  );

/** Rules by name, in the order of the report. */
export const RULES: Readonly<Record<string, Rule>> = {
  everyAnswerIsCharged,
  chargesNameTheirBudgets,
  nothingIsEnteredTwice,
  everyChargeWasServed,
  everyIdempotencyKeyHasOneAnswer,
  countersEqualTheLog,
  windowsEqualTheLog,
  holdsAgree,
  noBudgetIsExceeded,
  theAuditAgrees,
  lateChargesAreMarked,
  entriesAreStampedWithTheTrueTime,
};

/** In the order of the log. */
function idsOf(budgets: readonly string[]): string {
  return budgets.toSorted().join(' ');
}

/** Whether a question starts with the id of the asking key. */
function isBy(keyId: string, question: string): boolean {
  return question.startsWith(`${keyId} `);
}

function isUsage({ kind }: LedgerEntry): boolean {
  return kind === 'charge' || kind === 'adjustment';
}

function sum(entries: readonly LedgerEntry[]): bigint {
  return entries.reduce((total, { amount }) => total + amount, 0n);
}

function show(value: object): string {
  return JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? field.toString() : field));
}

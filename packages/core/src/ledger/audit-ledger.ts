import { PROBE } from '../base/events/watch-store.js';
import type { NanoUsd } from '../base/money.js';
import { dayOf } from '../base/time/clock.js';
import type { LimitReset } from '../base/time/limit-window.js';
import { BUDGET_IDLE_DAYS } from './hold-budget.js';
import { NO_BUDGET_COUNTERS, NO_KEY_COUNTERS } from './ledger-state.js';
import { type Checkpoint, createLogReplay, type LogReplay } from './log-replay.js';
import { latestWindows, type WindowUsages } from './window-usage.js';

/** The result of an audit. */
export interface AuditReport {
  /** How many were compared. */
  readonly organizations: number;
  /** How many were compared. */
  readonly keys: number;
  /** How many were compared. */
  readonly budgets: number;
  /** How many entries of the log were read. */
  readonly entries: number;
  /** How many were summed up. */
  readonly openHolds: number;
  /** Empty if every counter equals the log. */
  readonly differences: readonly AuditDifference[];
}

/** A counter that differs from the log. */
export interface AuditDifference {
  /** Whose counter it is. */
  readonly subject: 'organization' | 'key' | 'budget';
  /** Of the organization or the key; of a budget its organization and its id, with a space between them. */
  readonly id: string;
  /**
   * `inFlight` is the number of open holds that use a slot. `day`, `week` and `month` are the usage of a key or a budget in its latest window of that length.
   * `sums` compares the usage of an organization or a key with the sums of `usage`, which include entries removed from the log.
   */
  readonly counter: 'credits' | 'usage' | 'held' | 'inFlight' | 'day' | 'week' | 'month' | 'sums';
  /** Nanodollars; for `inFlight` a number of open holds. */
  readonly counted: bigint;
  /** The same by the log or the open holds. */
  readonly recomputed: bigint;
}

/** An organization, a key or a budget, by its id. */
export interface AuditedSubject {
  /** Which of them it is. */
  readonly subject: AuditDifference['subject'];
  /** Unique among its like; of a budget its `budgetName`. */
  readonly id: string;
}

/** The counters of a subject. */
export interface AuditedCounters {
  /** Of the subject. */
  readonly id: string;
  /** Nanodollars in its open holds, by its counter. */
  readonly held: NanoUsd;
  /** How many of its open holds take a slot; 0 for a budget. */
  readonly inFlight: number;
  /** Nanodollars of all time, by its counter. */
  readonly usage: NanoUsd;
  /** Usage by the sums of `usage`: charges and adjustments. Not of a budget. */
  readonly sums?: NanoUsd | undefined;
  /** Only of an organization. */
  readonly credits?: NanoUsd | undefined;
  /** Of a key and a budget: usage in its latest window of each length. */
  readonly windows?: WindowUsages | undefined;
  /** Only of a budget: whether its counter is never forgotten. `undefined` where there is no counter. */
  readonly isKept?: boolean | undefined;
}

/** The held amount and the used slots of a subject. */
export type Holding = Pick<AuditedCounters, 'held' | 'inFlight'>;

/** The held amount and the used slots of a subject, by its counters and by its open holds. */
export interface AuditedHeld extends AuditedSubject {
  /** By its counters. */
  readonly counted: Holding;
  /** By its open holds. */
  readonly recomputed: Holding;
}

/** The reads of {@link auditLedger}. Other operations may run at the same time. */
export interface AuditEngine {
  /** The present time of the ledger, in milliseconds since the Unix epoch. */
  now(): number;
  /** The sums of the entries removed from the log so far. */
  checkpoint(): Promise<Checkpoint>;
  /** The ids of all subjects of a kind with counters, in slices. */
  subjects(subject: AuditedSubject['subject']): AsyncIterable<readonly string[]>;
  /**
   * Adds all log entries that the replay has not seen, and returns the counters of these subjects, in one consistent view. A subject without counters has
   * zeros. Rejects if the log was cut since the replay began.
   */
  view(
    replay: LogReplay,
    subject: AuditedSubject['subject'],
    ids: readonly string[],
  ): Promise<readonly AuditedCounters[]>;
  /** Sums up all open holds and their slots, for every subject with an open hold and for the asked subjects, in one consistent view. */
  held(
    asked: readonly AuditedSubject[],
  ): Promise<{ readonly openHolds: number; readonly subjects: readonly AuditedHeld[] }>;
}

/** How many subjects are compared in one view. */
const SUBJECTS_AT_ONCE = 250;

/**
 * Recomputes every counter from the log and the open holds, while other operations run. First replays the log. Then reads counters in slices, each with the
 * entries written since, so that every counter is compared with its exact value at that moment.
 *
 * Held amounts and used slots are not in the log, so the open holds are read once. If the counters of a subject have a held amount but the subject had no
 * open hold, either a hold began since, or the counters are wrong: all such subjects are read once more, together.
 */
export async function auditLedger(engine: AuditEngine): Promise<AuditReport> {
  const replay = createLogReplay(await engine.checkpoint());
  await engine.view(replay, 'organization', []);
  const { openHolds, subjects } = await engine.held([]);
  const seen = new Set(subjects.map(nameOf));
  const differences: AuditDifference[] = [];
  const suspects: AuditedSubject[] = [];

  /** Without spreading, because there may be more differences than a call can have arguments. */
  function note(found: readonly AuditDifference[]): void {
    for (const each of found) differences.push(each);
  }

  async function compareAll(subject: AuditedSubject['subject'], logged: ReadonlyMap<string, unknown>): Promise<number> {
    const ids = new Set(logged.keys());
    for await (const slice of engine.subjects(subject)) for (const id of slice) ids.add(id);
    for (const some of slicesOf([...ids], SUBJECTS_AT_ONCE)) {
      for (const counters of await engine.view(replay, subject, some)) {
        const named = { subject, id: counters.id };
        const holds = counters.held !== 0n || counters.inFlight !== 0;
        if (holds && !seen.has(nameOf(named))) suspects.push(named);
        note(compare(replay, { named, counters, nowMs: engine.now() }));
      }
    }
    // A probe has the counter of its rate, and no money.
    return ids.has(PROBE) ? ids.size - 1 : ids.size;
  }

  const organizations = await compareAll('organization', replay.organizations);
  const keys = await compareAll('key', replay.keys);
  const budgets = await compareAll('budget', replay.budgets);
  note(subjects.flatMap(differencesOfHeld));
  if (suspects.length > 0) {
    const names = new Set(suspects.map(nameOf));
    const again = await engine.held(suspects);
    note(again.subjects.filter((held) => names.has(nameOf(held))).flatMap(differencesOfHeld));
  }
  return { organizations, keys, budgets, entries: replay.entries, openHolds, differences };
}

interface Compared {
  readonly named: AuditedSubject;
  readonly counters: AuditedCounters;
  readonly nowMs: number;
}

function compare(replay: LogReplay, compared: Compared): AuditDifference[] {
  const { subject, id } = compared.named;
  const { credits: counted = 0n, usage, sums = usage, windows } = compared.counters;
  if (subject === 'budget') return compareBudget(replay, compared);
  if (subject === 'organization') {
    const logged = replay.organizations.get(id) ?? { credits: 0n, usage: 0n };
    const figures: Figure[] = [
      ['credits', counted, logged.credits],
      ['usage', usage, logged.usage],
    ];
    return differing({ subject, id }, [...figures, ['sums', usage, sums]]);
  }
  const key = replay.keys.get(id) ?? NO_KEY_COUNTERS;
  const figures = figuresOfWindows(windows, latestWindows(key));
  return differing({ subject, id }, [['usage', usage, key.usage], ...figures, ['sums', usage, sums]]);
}

/** The counter of a budget may have been forgotten, and begun again: only a counter that is kept has the usage of all time. */
function compareBudget(replay: LogReplay, { named, counters, nowMs }: Compared): AuditDifference[] {
  const logged = replay.budgets.get(named.id) ?? { ...NO_BUDGET_COUNTERS, beforeIdle: 0n };
  const { isKept, usage, windows } = counters;
  // Forgotten; or begun again by a hold that is not charged.
  if (usage === 0n && dayOf(nowMs) - logged.latestDay > BUDGET_IDLE_DAYS) return [];
  const figures = figuresOfWindows(windows, latestWindows(logged));
  // It may have been kept only since a later time than its first, and was then not forgotten.
  const isOfAllTime = isKept !== true || (usage >= logged.usage - logged.beforeIdle && usage <= logged.usage);
  return differing(named, isOfAllTime ? figures : [['usage', usage, logged.usage], ...figures]);
}

const WINDOWS = [
  ['day', 'daily'],
  ['week', 'weekly'],
  ['month', 'monthly'],
] as const satisfies readonly (readonly [AuditDifference['counter'], LimitReset])[];

function figuresOfWindows(counted: WindowUsages | undefined, recomputed: WindowUsages): Figure[] {
  return WINDOWS.map(([counter, reset]) => {
    const pair = [counted?.[reset] ?? { startsAtMs: 0, usage: 0n }, recomputed[reset]] as const;
    // If only one side knows the later window, the other side has no usage in that window.
    const latestMs = Math.max(...pair.map(({ startsAtMs }) => startsAtMs));
    const [usage = 0n, expected = 0n] = pair.map((window) => (window.startsAtMs === latestMs ? window.usage : 0n));
    return [counter, usage, expected];
  });
}

function differencesOfHeld({ subject, id, counted, recomputed }: AuditedHeld): AuditDifference[] {
  return differing({ subject, id }, [
    ['held', counted.held, recomputed.held],
    ['inFlight', BigInt(counted.inFlight), BigInt(recomputed.inFlight)],
  ]);
}

type Figure = readonly [counter: AuditDifference['counter'], counted: bigint, recomputed: bigint];

function differing(of: AuditedSubject, figures: readonly Figure[]): AuditDifference[] {
  return figures
    .filter(([, counted, recomputed]) => counted !== recomputed)
    .map(([counter, counted, recomputed]) => ({ ...of, counter, counted, recomputed }));
}

function nameOf({ subject, id }: AuditedSubject): string {
  return `${subject} ${id}`;
}

/** Cuts a list into slices of the same length; the last slice may be shorter. */
export function slicesOf<T>(items: readonly T[], length: number): T[][] {
  const count = Math.ceil(items.length / length);
  return Array.from({ length: count }, (_, index) => items.slice(index * length, (index + 1) * length));
}

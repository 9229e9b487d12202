import type { AuditDifference, LimitReset, NanoUsd, OrganizationTotals } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import type { Replay } from './replay.js';
import { readKeyBook, readKeysAfter, readOrganization, readOrganizationsAfter } from './stored-totals.js';
import { type KeyBook, NO_KEY_BOOK, NO_TOTALS } from './totals.js';

/** The counters of all organizations, or of all keys, beside what the log says they are. */
export interface AuditedBooks {
  readonly subject: AuditDifference['subject'];
  /** Up to `count` of those whose ids come after `id`, in the order of their ids. */
  countedAfter(connection: Connection, id: string, count: number): readonly Counted[];
  /** Of one that may have no counters at all. */
  counted(connection: Connection, id: string): Counted;
  /** Those that the log knows. */
  recomputedIds(): Iterable<string>;
}

export interface Counted {
  readonly id: string;
  /** By the counter. */
  readonly held: NanoUsd;
  /** Of all counters but `held`, of which the log does not tell. */
  readonly differences: readonly AuditDifference[];
}

export function organizationBooks({ organizations }: Replay): AuditedBooks {
  const compare = (id: string, counted: OrganizationTotals): Counted => {
    const recomputed = organizations.get(id) ?? NO_TOTALS;
    const differences = (['credits', 'usage'] as const).flatMap((counter) =>
      difference({ subject: 'organization', id, counter }, counted[counter], recomputed[counter]),
    );
    return { id, held: counted.held, differences };
  };
  return {
    subject: 'organization',
    countedAfter: (connection, after, count) =>
      readOrganizationsAfter(connection, after, count).map(([id, totals]) => compare(id, totals)),
    counted: (connection, id) => compare(id, readOrganization(connection, id)),
    recomputedIds: () => organizations.keys(),
  };
}

export function keyBooks({ keys }: Replay): AuditedBooks {
  const compare = (id: string, counted: KeyBook): Counted => {
    const recomputed = keys.get(id) ?? NO_KEY_BOOK;
    const differences = [
      ...difference({ subject: 'key', id, counter: 'usage' }, counted.usage, recomputed.usage),
      ...differencesOfWindows(id, counted, recomputed),
    ];
    return { id, held: counted.held, differences };
  };
  return {
    subject: 'key',
    countedAfter: (connection, after, count) =>
      readKeysAfter(connection, after, count).map(([id, book]) => compare(id, book)),
    counted: (connection, id) => compare(id, readKeyBook(connection, id)),
    recomputedIds: () => keys.keys(),
  };
}

export function differencesOfHeld(
  subject: AuditDifference['subject'],
  { id, held }: Counted,
  recomputed: NanoUsd,
): AuditDifference[] {
  return difference({ subject, id, counter: 'held' }, held, recomputed);
}

const WINDOWS = [
  ['day', 'daily'],
  ['week', 'weekly'],
  ['month', 'monthly'],
] as const satisfies readonly (readonly [AuditDifference['counter'], LimitReset])[];

function differencesOfWindows(id: string, counted: KeyBook, recomputed: KeyBook): AuditDifference[] {
  return WINDOWS.flatMap(([counter, reset]) => {
    const [one, other] = [counted.windows[reset], recomputed.windows[reset]];
    // Where one of them knows a later window, the other has used nothing in it.
    const latest = Math.max(one.startsAtMs, other.startsAtMs);
    const [usage, expected] = [one, other].map((window) => (window.startsAtMs === latest ? window.usage : 0n));
    return difference({ subject: 'key', id, counter }, usage ?? 0n, expected ?? 0n);
  });
}

type Counter = Pick<AuditDifference, 'subject' | 'id' | 'counter'>;

/** None or one. */
function difference(counter: Counter, counted: NanoUsd, recomputed: NanoUsd): AuditDifference[] {
  return counted === recomputed ? [] : [{ ...counter, counted, recomputed }];
}

import type { Message } from './post.js';

/** An event on its way. */
interface Queued {
  readonly message: Message;
}

/** Events that wait to be sent, alerts before all others. Organizations take turns: one that causes many events waits behind its own. */
export interface FairQueue<Q extends Queued> extends Iterable<Q> {
  add(queued: Q): void;
  /** Takes out the next one. */
  next(): Q | undefined;
  clear(): void;
}

/** How many events may be on their way, by their type and organization: none can take the room of another type, or all of its own. */
export interface Shares {
  /** @returns `false` where there is no room. */
  take(message: Message): boolean;
  /** Whether this is the first of its type that finds no room since one has. */
  isFirstRefused(message: Message): boolean;
  /** Once for each one that was taken. */
  free(message: Message): void;
}

/** As many as the gateway has on their way itself, of all organizations and of one, so that none is ever refused. */
const MOST_ALERTS = 1_000;
const MOST_OF_TYPE = 250;
/** An organization has a quarter. */
const SHARE = 4;

export function createShares(): Shares {
  /** By type, and by type and organization; only of those that have any. */
  const taken = new Map<string, number>();
  const full = new Set<string>();
  const countOf = (name: string) => taken.get(name) ?? 0;
  const ownNameOf = ({ type, organizationId }: Message) => `${type} ${organizationId}`;

  function change(name: string, by: number): void {
    const count = countOf(name) + by;
    if (count > 0) taken.set(name, count);
    else taken.delete(name);
  }

  return {
    take(message) {
      const { type, isAlert, organizationId } = message;
      const most = isAlert ? MOST_ALERTS : MOST_OF_TYPE;
      const own = organizationId === null ? 0 : countOf(ownNameOf(message));
      if (countOf(type) >= most || own >= Math.floor(most / SHARE)) return false;
      change(type, 1);
      change(ownNameOf(message), 1);
      full.delete(type);
      return true;
    },
    isFirstRefused({ type }) {
      const isFirst = !full.has(type);
      full.add(type);
      return isFirst;
    },
    free(message) {
      change(message.type, -1);
      change(ownNameOf(message), -1);
    },
  };
}

export function createFairQueue<Q extends Queued>(): FairQueue<Q> {
  /** By organization, in the order of their turns. Only those of which something waits. */
  const alerts = new Map<string | null, Set<Q>>();
  const others = new Map<string | null, Set<Q>>();

  function take(turns: Map<string | null, Set<Q>>): Q | undefined {
    for (const [organizationId, own] of turns) {
      turns.delete(organizationId);
      const [first] = own;
      if (first !== undefined) own.delete(first);
      // Behind the other organizations.
      if (own.size > 0) turns.set(organizationId, own);
      return first;
    }
    return undefined;
  }

  return {
    add(queued) {
      const { isAlert, organizationId } = queued.message;
      const turns = isAlert ? alerts : others;
      turns.set(organizationId, (turns.get(organizationId) ?? new Set()).add(queued));
    },
    next: () => take(alerts) ?? take(others),
    clear() {
      alerts.clear();
      others.clear();
    },
    *[Symbol.iterator]() {
      for (const turns of [alerts, others]) for (const own of turns.values()) yield* own;
    },
  };
}

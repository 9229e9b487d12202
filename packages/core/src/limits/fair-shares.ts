import { RequestError } from '../base/errors/request-error.js';

/** How many slots there are. */
export interface SemaphoreLimits {
  /** Of all organizations together. */
  readonly total: number;
  /** Of one organization, and so of each of its keys. */
  readonly perOrganization: number;
}

/** A counting semaphore. No organization can hold more slots than its share. */
export interface Semaphore {
  /** Takes a slot. @throws RequestError `overloaded` (503, retry after 1 s) when no slot is free. */
  take(organizationId: string): void;
  /** Takes a slot. @returns `false` when no slot is free. */
  tryTake(organizationId: string): boolean;
  /** Gives a slot back, once for each slot that was taken. */
  free(organizationId: string): void;
  /** How many slots an organization holds. */
  heldBy(organizationId: string): number;
  /** By all organizations. */
  readonly held: number;
}

const RETRY_MS = 1_000;

/** A semaphore with all slots free. */
export function createSemaphore({ total, perOrganization }: SemaphoreLimits): Semaphore {
  /** Only organizations that hold a slot. */
  const slots = new Map<string, number>();
  let held = 0;
  const heldBy = (organizationId: string) => slots.get(organizationId) ?? 0;

  function tryTake(organizationId: string): boolean {
    const own = heldBy(organizationId);
    if (held >= total || own >= perOrganization) return false;
    slots.set(organizationId, own + 1);
    held += 1;
    return true;
  }

  return {
    take(organizationId) {
      if (!tryTake(organizationId)) throw new RequestError('overloaded', { retryAfterMs: RETRY_MS });
    },
    tryTake,
    free(organizationId) {
      const own = heldBy(organizationId);
      if (own > 1) slots.set(organizationId, own - 1);
      else slots.delete(organizationId);
      held -= 1;
    },
    heldBy,
    get held() {
      return held;
    },
  };
}

/** How many items may wait. */
export interface QueueLimits {
  /** Of all groups together. */
  readonly total: number;
  /** Of each group. */
  readonly perGroup: number;
}

/** A bounded queue in which groups take turns: many items of one group wait behind each other, and other groups do not wait behind them. */
export interface FairQueue<Item> extends Iterable<Item> {
  /** How many items wait. */
  readonly length: number;
  /** @returns `false` when the queue, or the group's part of it, is full. */
  add(group: string, item: Item): boolean;
  /**
   * Takes out the first item of the group that uses least. Groups that use the same take turns.
   *
   * @param usedBy how much a group uses now; `Infinity` for a group that may use no more. Default: all use the same.
   * @param fits whether an item can be taken out now. Default: any can.
   */
  next(usedBy?: (group: string) => number, fits?: (item: Item) => boolean): Item | undefined;
  /** Does nothing when the item is not in the queue. */
  remove(group: string, item: Item): void;
}

/** @param limits default: any number of items. */
export function createFairQueue<Item>(limits?: QueueLimits): FairQueue<Item> {
  const { total, perGroup } = limits ?? { total: Infinity, perGroup: Infinity };
  /** In the order of their turns. Only groups with items. */
  const groups = new Map<string, Set<Item>>();
  let length = 0;

  function remove(group: string, item: Item): void {
    const own = groups.get(group);
    if (own?.delete(item) !== true) return;
    length -= 1;
    if (own.size === 0) groups.delete(group);
  }

  return {
    get length() {
      return length;
    },
    add(group, item) {
      const own = groups.get(group) ?? new Set();
      if (length >= total || own.size >= perGroup) return false;
      groups.set(group, own.add(item));
      length += 1;
      return true;
    },
    next(usedBy = () => 0, fits = () => true) {
      let turn: [string, Set<Item>, Item] | undefined;
      let least = Infinity;
      for (const [group, own] of groups) {
        const used = usedBy(group);
        const item = used < least ? [...own].find(fits) : undefined;
        if (item !== undefined) [turn, least] = [[group, own, item], used];
        if (least === 0) break;
      }
      if (turn === undefined) return undefined;
      const [group, own, item] = turn;
      // The group goes behind the others.
      groups.delete(group);
      groups.set(group, own);
      remove(group, item);
      return item;
    },
    remove,
    *[Symbol.iterator]() {
      for (const own of groups.values()) yield* own;
    },
  };
}

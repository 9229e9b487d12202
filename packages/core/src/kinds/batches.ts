import { UpstreamError } from '../base/errors/upstream-error.js';
import type { NanoUsd } from '../base/money.js';
import type { BilledPart } from '../catalog/charge.js';
import type { OutcomeCost } from '../catalog/model-entry.js';
import type { Slot } from '../limits/provider-limits.js';
import type { AttemptContext } from './kind-call.js';

/** Most calls to a provider at once, of one attempt. */
const MAX_PARTS_AT_ONCE = 5;

/**
 * A list in parts of at most `size` items, which weigh at most `most` together; an item that weighs more goes alone.
 *
 * @param size of a port, which an adapter of another package may have forgotten.
 */
export function partsOf<Item>(
  items: readonly Item[],
  size: number,
  { weights, most }: { readonly weights: readonly number[]; readonly most: number } = NO_WEIGHTS,
): readonly (readonly Item[])[] {
  const count = Number.isInteger(size) && size > 0 ? size : 1;
  const parts: Item[][] = [];
  let [part, left]: [Item[], number] = [[], 0];
  for (const [at, item] of items.entries()) {
    const weight = weights[at] ?? 0;
    if (part.length === 0 || part.length === count || weight > left) {
      parts.push((part = []));
      left = most;
    }
    part.push(item);
    left -= weight;
  }
  return parts;
}

const NO_WEIGHTS = { weights: [], most: 0 };

/**
 * Runs the parts of one attempt. The attempt has one slot at the provider; further parts at once take slots of their own, as calls do, and where none is
 * free the parts go one after another.
 *
 * @param run gets the part's own slot, and returns whether the next part is wanted.
 */
export async function runParts(
  count: number,
  run: (at: number, slot: Slot | null) => Promise<boolean>,
  context: Pick<AttemptContext, 'enterSlot' | 'signal'>,
): Promise<void> {
  let next = 0;
  let isWanted = true;

  async function runNext(slot: Slot | null): Promise<void> {
    isWanted = (await run(next++, slot)) && isWanted;
  }

  async function runOthers(isFirst: boolean): Promise<void> {
    while (isWanted && next < count && !context.signal.aborted) {
      const slot = context.enterSlot();
      if (slot === null && !isFirst) return;
      await runNext(slot).finally(() => slot?.free());
    }
  }

  const first = runNext(null).then(() => runOthers(true));
  const others = Array.from({ length: MAX_PARTS_AT_ONCE - 1 }, () => runOthers(false));
  await Promise.all([first, ...others]);
}

/** A part that a provider may bill. */
export interface PaidPart extends BilledPart {
  readonly cost: OutcomeCost;
  /** The reported cost; else the list price of what came, or may have been made in vain. */
  readonly amount: NanoUsd;
}

/** The cost of a call in parts, for events and losses: the charge is of the parts. */
export function costOfParts(parts: readonly PaidPart[]): OutcomeCost {
  const [only, another] = parts;
  if (only !== undefined && another === undefined) return only.cost;
  return { reported: sumOf(parts), usage: usageOf(parts) };
}

/** An error with the cost of all parts. */
export function errorOfParts(error: UpstreamError, parts: readonly PaidPart[]): UpstreamError {
  const { reason, phase, status, retryAfterMs, detail, cause, failed } = error;
  const paid = { cost: sumOf(parts), usage: usageOf(parts) };
  return new UpstreamError(reason, { phase, status, retryAfterMs, detail, cause, failed, ...paid });
}

function sumOf(parts: readonly PaidPart[]): NanoUsd {
  return parts.reduce((sum, { amount }) => sum + amount, 0n);
}

function usageOf(parts: readonly PaidPart[]): OutcomeCost['usage'] {
  const usage: Record<string, number | bigint> = {};
  for (const { cost } of parts) {
    for (const [name, used] of Object.entries(cost.usage ?? {}) as [string, number | bigint | undefined][]) {
      const before = usage[name];
      if (typeof used === 'bigint') usage[name] = (typeof before === 'bigint' ? before : 0n) + used;
      else if (typeof used === 'number') usage[name] = (typeof before === 'number' ? before : 0) + used;
    }
  }
  return Object.keys(usage).length === 0 ? undefined : usage;
}

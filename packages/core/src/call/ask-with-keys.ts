import { isUpstreamError, type UpstreamError } from '../base/errors/upstream-error.js';
import { isOfKey, type KeyRing } from '../limits/key-ring.js';
import type { Slot } from '../limits/provider-limits.js';

/** A request of an attempt at a provider with several keys. */
export interface KeyedRequest<T> {
  readonly ring: KeyRing;
  /** The slot of the request, with the key to begin with. */
  readonly slot: Slot;
  /** Whether a refusal may be that of a page which the caller has named. */
  readonly isDoubtful: boolean;
  send(key: string): Promise<T>;
  /** Whether the attempt has time left, and nothing has been delivered. */
  mayGoOn(): boolean;
  /** Takes a slot with a key that serves, other than these. Waits for one, where they are busy. */
  nextSlot(tried: ReadonlySet<string>): Promise<Slot | null>;
  /** Gets the failure of each request that is sent again. */
  changed(error: UpstreamError): void;
}

/**
 * Sends a request, and sends it again with the next key where a key is at fault: at most once with each. Other failures are the same with every key.
 *
 * @throws the failure of the last key.
 */
export async function askWithKeys<T>(request: KeyedRequest<T>): Promise<T> {
  const { ring, slot } = request;
  // The key may have been left out since, by another request of the attempt.
  const isOut = slot.key !== undefined && ring.isOut(slot.key);
  const other = isOut ? await request.nextSlot(new Set()) : null;
  return other === null ? askNext(request, slot, new Set()) : askAndFree(request, other, new Set());
}

function askAndFree<T>(request: KeyedRequest<T>, slot: Slot, tried: ReadonlySet<string>): Promise<T> {
  return askNext(request, slot, tried).finally(() => slot.free());
}

async function askNext<T>(request: KeyedRequest<T>, { key }: Slot, before: ReadonlySet<string>): Promise<T> {
  const { ring, isDoubtful } = request;
  if (key === undefined) throw new Error('a slot without a key');
  const tried = new Set([...before, key.name]);
  let failure: UpstreamError;
  try {
    const result = await request.send(key.name);
    ring.succeeded(key);
    return result;
  } catch (error) {
    if (!isUpstreamError(error) || !isOfKey(error)) throw error;
    ring.failed(key, error, isDoubtful);
    failure = error;
  }
  const next = request.mayGoOn() ? await request.nextSlot(tried) : null;
  if (next === null) throw failure;
  request.changed(failure);
  return askAndFree(request, next, tried);
}

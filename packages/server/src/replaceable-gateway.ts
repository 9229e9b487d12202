import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '@searchgate/core';

/** A gateway that can be replaced while it serves calls. */
export interface ReplaceableGateway {
  /** The gateway to mount: it passes each call to the current gateway. Its listeners stay subscribed, and `close` closes every gateway. */
  readonly gateway: Gateway;
  /**
   * Sends new calls to another gateway. Calls in flight end in their gateway, which closes after they are charged. No call is refused or cut off.
   *
   * @returns at once; but while {@link MOST_AT_ONCE} replaced gateways still have calls, only after one of them is idle.
   */
  replace(next: Gateway): Promise<void>;
}

/** Limited, since each gateway keeps connections and calls in memory. */
const MOST_AT_ONCE = 4;
const LOOK_EVERY_MS = 100;

type EventListener = Parameters<Gateway['on']>[0];
/** Counts that are summed over all gateways. */
type Count = 'inFlight' | 'holdsInFlight' | 'settlesWaiting';

export function replaceableGateway(first: Gateway): ReplaceableGateway {
  /** The unsubscribe functions of each listener, by gateway; closed gateways are removed. */
  const listeners = new Map<EventListener, Map<Gateway, () => void>>();
  /** Replaced gateways with calls in flight, and the promises of their closing. */
  const replaced = new Map<Gateway, Promise<void>>();
  let current = first;
  let closed: Promise<unknown> | undefined;

  const gateway: Pick<Gateway, 'handle' | 'status' | 'on' | 'close'> = {
    handle: (request) => current.handle(request),
    status() {
      const statuses = [current, ...replaced.keys()].map((each) => each.status());
      const sum = (count: Count) => statuses.reduce((total, status) => total + status[count], 0);
      const counts = {
        inFlight: sum('inFlight'),
        holdsInFlight: sum('holdsInFlight'),
        settlesWaiting: sum('settlesWaiting'),
      };
      return { ...current.status(), ...counts };
    },
    on(listener) {
      listeners.set(listener, new Map([[current, current.on(listener)]]));
      return () => {
        for (const unsubscribe of listeners.get(listener)?.values() ?? []) unsubscribe();
        listeners.delete(listener);
      };
    },
    async close() {
      closed ??= Promise.all([current, ...replaced.keys()].map((each) => each.close()));
      await closed;
    },
  };

  async function closeWhenIdle(old: Gateway): Promise<void> {
    while (isBusy(old) && closed === undefined) await sleep(LOOK_EVERY_MS);
    await old.close();
    replaced.delete(old);
    for (const heard of listeners.values()) heard.delete(old);
  }

  return {
    gateway: new Proxy(gateway as Gateway, {
      get: (own, name: keyof Gateway) => (Object.hasOwn(gateway, name) ? own : current)[name],
    }),
    async replace(next) {
      if (replaced.size >= MOST_AT_ONCE) await Promise.race(replaced.values());
      for (const [listener, heard] of listeners) heard.set(next, next.on(listener));
      const old = current;
      current = next;
      replaced.set(old, closeWhenIdle(old));
      if (closed !== undefined) await next.close();
    },
  };
}

/** A closing gateway tries waiting charges only once more, so they count as busy. */
function isBusy(gateway: Gateway): boolean {
  const { inFlight, settlesWaiting } = gateway.status();
  return inFlight > 0 || settlesWaiting > 0;
}

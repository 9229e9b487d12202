import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '@searchgate/core';

/** A gateway that another one can take the place of, while both serve. */
export interface ReplaceableGateway {
  /** What servers mount: it hands each call to the gateway of that moment. Its listeners stay subscribed, and `close` closes every gateway. */
  readonly gateway: Gateway;
  /**
   * Sends new calls to another gateway. Calls under way end in the one they began in, which is closed when they are charged. No call is refused, and none is cut off.
   *
   * @returns at once, unless {@link MOST_AT_ONCE} gateways still have calls: then when the first of them has none.
   */
  replace(next: Gateway): Promise<void>;
}

/** Each keeps connections and calls in memory. */
const MOST_AT_ONCE = 4;
const LOOK_EVERY_MS = 100;

type EventListener = Parameters<Gateway['on']>[0];
/** What gateways have under way, and is added up. */
type Count = 'inFlight' | 'holdsInFlight' | 'settlesWaiting';

export function replaceableGateway(first: Gateway): ReplaceableGateway {
  /** How each listener is taken from the gateways that it hears: no others, however many there have been. */
  const listeners = new Map<EventListener, Map<Gateway, () => void>>();
  /** Gateways with calls, and when each of them is closed. */
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
      get: (own, name: keyof Gateway) => (name in gateway ? own : current)[name],
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

/** Charges that wait for the ledger are tried only once more when a gateway is closed. */
function isBusy(gateway: Gateway): boolean {
  const { inFlight, settlesWaiting } = gateway.status();
  return inFlight > 0 || settlesWaiting > 0;
}

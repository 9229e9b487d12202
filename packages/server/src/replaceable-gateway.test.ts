import type { Gateway } from '@searchgate/core';
import { describe, expect, it, vi } from 'vitest';
import { replaceableGateway } from './replaceable-gateway.js';

type Listener = Parameters<Gateway['on']>[0];

/** The tested parts of a gateway, with as many calls in flight as the test sets. */
function gatewayWith(name: string, inFlight = 0) {
  const listeners = new Set<Listener>();
  const parts = {
    calls: inFlight,
    listeners,
    close: vi.fn<() => Promise<void>>(() => Promise.resolve()),
    handle: () => Promise.resolve({ status: 200, headers: {}, body: name }),
    models: () => [{ id: name }],
    status: () => ({
      inFlight: parts.calls,
      holdsInFlight: parts.calls,
      settlesWaiting: 2 * parts.calls,
      closing: false,
      name,
    }),
    on(listener: Listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return parts;
}

const asGateway = (parts: ReturnType<typeof gatewayWith>) => parts as unknown as Gateway;
const event = { type: 'holds_expired', atMs: 1, count: 1 } as const;

describe('replaceableGateway', () => {
  it('routes new calls to the newest gateway, and closes the previous gateway after its calls', async () => {
    const [one, two] = [gatewayWith('one', 1), gatewayWith('two')];
    const { gateway, replace } = replaceableGateway(asGateway(one));
    expect(gateway.models()).toEqual([{ id: 'one' }]);
    await replace(asGateway(two));
    expect(gateway.models()).toEqual([{ id: 'two' }]);
    expect(await gateway.handle({} as never)).toMatchObject({ body: 'two' });
    expect(one.close).not.toHaveBeenCalled();
    one.calls = 0;
    await expect.poll(() => one.close).toHaveBeenCalledOnce();
    expect(two.close).not.toHaveBeenCalled();
  });

  it('counts the calls in flight of every gateway, until the gateway is closed', async () => {
    const [one, two] = [gatewayWith('one', 1), gatewayWith('two', 2)];
    let end = (): void => undefined;
    one.close.mockReturnValue(new Promise((resolve) => (end = resolve)));
    const { gateway, replace } = replaceableGateway(asGateway(one));
    await replace(asGateway(two));
    expect(gateway.status()).toEqual({ inFlight: 3, holdsInFlight: 3, settlesWaiting: 6, closing: false, name: 'two' });
    one.calls = 0;
    await expect.poll(() => one.close).toHaveBeenCalledOnce();
    one.status = () => ({ inFlight: 0, holdsInFlight: 0, settlesWaiting: 5, closing: true, name: 'one' });
    expect(gateway.status()).toMatchObject({ inFlight: 2, settlesWaiting: 9, closing: false });
    end();
    await expect.poll(() => gateway.status()).toMatchObject({ settlesWaiting: 4 });
  });

  it('keeps a gateway open while its charges wait for the ledger', async () => {
    const one = gatewayWith('one');
    const status = vi.fn<typeof one.status>(() => ({
      inFlight: 0,
      holdsInFlight: 0,
      settlesWaiting: 1,
      closing: false,
      name: 'one',
    }));
    one.status = status;
    const { replace } = replaceableGateway(asGateway(one));
    await replace(asGateway(gatewayWith('two')));
    await expect.poll(() => status.mock.calls.length).toBeGreaterThan(2);
    expect(one.close).not.toHaveBeenCalled();
    status.mockReturnValue({ inFlight: 0, holdsInFlight: 0, settlesWaiting: 0, closing: false, name: 'one' });
    await expect.poll(() => one.close).toHaveBeenCalledOnce();
  });

  it('keeps listeners subscribed to every gateway until they unsubscribe', async () => {
    const [one, two] = [gatewayWith('one', 1), gatewayWith('two')];
    const { gateway, replace } = replaceableGateway(asGateway(one));
    const listener = vi.fn<Listener>();
    const unsubscribe = gateway.on(listener);
    await replace(asGateway(two));
    for (const { listeners } of [one, two]) for (const each of listeners) void each(event);
    expect(listener).toHaveBeenCalledTimes(2);
    unsubscribe();
    expect([one.listeners.size, two.listeners.size]).toEqual([0, 0]);
    await gateway.close();
  });

  it('releases closed gateways, however often a gateway is replaced', async () => {
    const gateways = Array.from({ length: 20 }, (_none, index) => gatewayWith(`${index}`));
    const [first, ...others] = gateways as [(typeof gateways)[0], ...typeof gateways];
    const { gateway, replace } = replaceableGateway(asGateway(first));
    const unsubscribe = gateway.on(() => undefined);
    for (const next of others) await replace(asGateway(next));
    await new Promise(setImmediate);
    unsubscribe();
    // A released gateway can be collected, so it is not unsubscribed.
    expect(gateways.filter(({ listeners }) => listeners.size === 0)).toEqual([others.at(-1)]);
  });

  it('closes all gateways at once, also those that still have calls', async () => {
    const [one, two] = [gatewayWith('one', 1), gatewayWith('two', 1)];
    const { gateway, replace } = replaceableGateway(asGateway(one));
    await replace(asGateway(two));
    await gateway.close();
    expect(one.close).toHaveBeenCalled();
    expect(two.close).toHaveBeenCalled();
  });

  it('delays a fifth replacement until one of four gateways is idle', async () => {
    const old = ['one', 'two', 'three', 'four'].map((name) => gatewayWith(name, 1));
    const [newest, last] = [gatewayWith('five', 1), gatewayWith('six')];
    const { gateway, replace } = replaceableGateway(asGateway(old[0] ?? newest));
    for (const each of [...old.slice(1), newest]) await replace(asGateway(each));
    const replacing = replace(asGateway(last));
    await new Promise(setImmediate);
    expect(gateway.models()).toEqual([{ id: 'five' }]);
    for (const each of old) each.calls = 0;
    await replacing;
    expect(gateway.models()).toEqual([{ id: 'six' }]);
    newest.calls = 0;
    await gateway.close();
  });
});

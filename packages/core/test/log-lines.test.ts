import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createGateway, type GatewayOptions, memoryIdempotency, memoryLedger } from '../src/index.js';
import { askOverHttp } from './ask-over-http.js';
import { KEY, OUTCOME, scripted } from './scripted-gateway.js';

const CALLS = 1_000;
const down = () => Promise.reject(new Error('down'));
const APIKEY = { id: 'key', organizationId: 'acme', limit: null };

/** A port whose every operation fails. */
function failing<T extends object>(port: T, ...except: (keyof T)[]): T {
  const operations = Object.keys(port).map((name) => [
    name,
    except.includes(name as keyof T) ? port[name as keyof T] : down,
  ]);
  return Object.fromEntries(operations) as T;
}

const sound = () => memoryLedger({ credits: { acme: '1000' } });
const requests = {
  append: down,
  find: down,
  get: down,
  prune: down,
  eraseBudget: down,
  erase: down,
  organizations: down,
  statistics: down,
};

/** What fails. */
const OUTAGES: Readonly<Record<string, Partial<GatewayOptions>>> = {
  'the ledger': { ledger: failing({ ...sound(), idempotency: memoryIdempotency() }, 'idempotency', 'close') },
  'the end of every hold': { ledger: { ...sound(), settle: down, release: down } },
  'the idempotency store': { idempotency: failing(memoryIdempotency()) },
  'the end of every claim': { idempotency: failing(memoryIdempotency(), 'claim') },
  'the key store': { apiKeys: { findByHash: down }, authenticate: undefined },
  'the hook of the host': { authenticate: down },
  'a caller of the host': { authenticate: () => ({ id: 'two words' }) as never },
  'the request log': { requestLog: { log: requests } },
  'the store of answers': { cache: { ttlMs: 60_000, store: { get: down, set: down } } },
  'a damaged store of answers': { cache: { ttlMs: 60_000, store: { get: async () => '{', set: down } } },
  'a listener of events': {
    onEvent() {
      throw new Error('broken');
    },
  },
  'the adapter of a provider': { providers: [scripted('exa', [new TypeError('broken')]).provider] },
  'the address of clients': {
    clientAddress() {
      throw new Error('broken');
    },
    authFailureLimit: 10,
  },
};

describe('1,000 calls during an outage', () => {
  it.each(Object.entries(OUTAGES))(
    'of %s log one line of each kind, and one in ten seconds after',
    async (_what, broken) => {
      const clock = createFakeClock();
      const lines: string[] = [];
      const log = (_fields: unknown, message: string) => void lines.push(message);
      const gateway = createGateway({
        providers: [scripted('exa', [OUTCOME]).provider],
        authenticate: () => APIKEY,
        ledger: sound(),
        maxInFlight: 100_000,
        maxInFlightPerKey: 10_000,
        maxAttempts: 1,
        clock,
        logger: { warn: log, error: log },
        ...broken,
      });
      const ask = (call: number) =>
        askOverHttp(gateway, { apiKey: KEY, headers: { 'idempotency-key': `call-${call}` } }).catch(() => undefined);
      for (let call = 0; call < CALLS; call += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, index) => ask(call + index)));
      }
      await clock.advance(999);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.toSorted()).toEqual([...new Set(lines)].toSorted());
      await clock.advance(59_000);
      for (const kind of new Set(lines))
        expect([kind, lines.filter((line) => line === kind).length <= 7]).toEqual([kind, true]);
      await gateway.close().catch(() => undefined);
    },
  );
});

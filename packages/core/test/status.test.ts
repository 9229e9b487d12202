import { describe, expect, it } from 'vitest';
import { memoryLedger } from '../src/index.js';
import type { AnswerOutcome } from '../src/provider-kit/index.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

const SERVING = { state: 'serving', pausedUntilMs: null, pausedForOrganizationIds: [] };
const IDLE = { inFlight: 0, holdsInFlight: 0, settlesWaiting: 0, oldestAttempts: [], closing: false };

/** A provider whose first answer the test sends. */
function slow() {
  let answer: (outcome: AnswerOutcome) => void = () => undefined;
  const { provider } = scripted('exa', [() => new Promise((resolve) => (answer = resolve)), OUTCOME]);
  return { provider, answer: (outcome: AnswerOutcome) => answer(outcome) };
}

describe('status', () => {
  it('names every provider, in the order of the options', () => {
    const { gateway } = start([scripted('you', [OUTCOME]).provider, scripted('exa', [OUTCOME]).provider]);
    expect(gateway.status()).toEqual({
      ...IDLE,
      providers: [
        { id: 'you', ...SERVING },
        { id: 'exa', ...SERVING },
      ],
      stores: [
        { id: 'ledger', downSinceMs: null },
        { id: 'idempotency', downSinceMs: null },
        { id: 'key_store', downSinceMs: null },
      ],
    });
  });

  it('counts calls in flight and those with a hold, and tells the age of the oldest attempt', async () => {
    const { provider, answer } = slow();
    const { gateway, clock, ask } = start([provider]);
    const pending = ask('exa/answer');
    expect(gateway.status()).toMatchObject({ inFlight: 1, holdsInFlight: 0 });
    await clock.advance(0);
    await clock.advance(7_000);
    const oldestAttempts = [{ model: 'exa/answer', ageMs: 7_000 }];
    expect(gateway.status()).toMatchObject({ inFlight: 1, holdsInFlight: 1, oldestAttempts });
    answer(OUTCOME);
    await pending;
    expect(gateway.status()).toMatchObject(IDLE);
  });

  it('does not count refused or failed calls', async () => {
    const { gateway, ask } = start([scripted('exa', [failure('upstream_rejected')]).provider]);
    expect(await reasonOf(ask('exa/nothing'))).toBe('model_not_found');
    expect(await reasonOf(ask('exa/answer'))).toBe('upstream_rejected');
    expect(await reasonOf(gateway.answer({ apiKey: 'wrong', model: 'exa/answer', query: 'When?' }))).toBe(
      'invalid_api_key',
    );
    expect(gateway.status()).toMatchObject(IDLE);
  });

  it('tells since when the ledger and the key store are down', async () => {
    const ledger = memoryLedger({ credits: { acme: '10' } });
    const down = () => Promise.reject(new Error('down'));
    const state = { isDown: true };
    const apiKeys = { findByHash: () => (state.isDown ? down() : Promise.resolve(undefined)) };
    const lines: string[] = [];
    const log = (_fields: unknown, message: string) => void lines.push(message);
    const { gateway, clock } = start([scripted('exa', [OUTCOME]).provider], {
      ledger: { ...ledger, hold: down, admit: (request) => (state.isDown ? down() : ledger.admit(request)) },
      apiKeys,
      logger: { warn: log, error: log },
    });
    const ask = (apiKey: Parameters<typeof gateway.answer>[0]['apiKey']) =>
      reasonOf(gateway.answer({ apiKey, model: 'exa/answer', query: 'When?' }));
    const atMs = clock.now();
    for (let call = 0; call < 20; call += 1) {
      expect(await ask({ id: 'key', organizationId: 'acme', limit: null })).toBe('ledger_unavailable');
      expect(await ask(`key-${call}`)).toBe('ledger_unavailable');
    }
    expect(gateway.status().stores).toEqual([
      { id: 'ledger', downSinceMs: atMs },
      { id: 'idempotency', downSinceMs: null },
      { id: 'key_store', downSinceMs: atMs },
    ]);
    state.isDown = false;
    await clock.advance(10_000);
    expect(gateway.status().stores.map(({ downSinceMs }) => downSinceMs)).toEqual([null, null, null]);
    // The lines that were left out come with the next one of their kind.
    expect(lines).toEqual([
      'the ledger is down',
      'the ledger failed to hold',
      'the key store failed',
      'the key store is down',
      'the key store is back',
      'the ledger failed to hold',
      'the key store failed',
      'the ledger is back',
    ]);
  });

  it('counts pending charges until they are written or given up', async () => {
    const ledger = memoryLedger({ credits: { acme: '10' } });
    let isDown = true;
    const settle: typeof ledger.settle = (id, charge) =>
      isDown ? Promise.reject(new Error('down')) : ledger.settle(id, charge);
    const { gateway, clock, ask } = start([scripted('exa', [OUTCOME]).provider], { ledger: { ...ledger, settle } });
    await ask('exa/answer');
    await ask('exa/answer');
    expect(gateway.status()).toMatchObject({ inFlight: 0, holdsInFlight: 0, settlesWaiting: 2 });
    await clock.advance(1_000);
    expect(gateway.status().settlesWaiting).toBe(2);
    isDown = false;
    await clock.advance(60_000);
    expect(gateway.status().settlesWaiting).toBe(0);

    isDown = true;
    await ask('exa/answer');
    expect(gateway.status().settlesWaiting).toBe(1);
    await gateway.close();
    expect(gateway.status().settlesWaiting).toBe(0);
  });

  it('reports when a provider is paused, probed, and serving again', async () => {
    const { provider } = scripted('exa', [failure('upstream_error'), OUTCOME]);
    const options = { providerFailureThreshold: 1, providerCooldownMs: 5_000, maxAttempts: 1 };
    const { gateway, clock, ask } = start([provider], options);
    const stateOf = () => gateway.status().providers[0];
    expect(await reasonOf(ask('exa/answer'))).toBe('upstream_error');
    expect(stateOf()).toEqual({ ...SERVING, id: 'exa', state: 'paused', pausedUntilMs: clock.now() + 5_000 });
    await clock.advance(5_000);
    expect(stateOf()).toEqual({ ...SERVING, id: 'exa', state: 'probing' });
    await ask('exa/answer');
    expect(stateOf()).toEqual({ ...SERVING, id: 'exa' });
  });

  it('names the only organization that a provider is paused for, while it serves others', async () => {
    const { provider } = scripted('exa', [failure('upstream_timeout')]);
    const { gateway, ask } = start([provider], { providerFailureThreshold: 1, maxAttempts: 1 });
    await reasonOf(ask('exa/answer'));
    expect(gateway.status().providers).toEqual([{ ...SERVING, id: 'exa', pausedForOrganizationIds: ['acme'] }]);
  });

  it('reports closing from the call of close on', async () => {
    const { provider, answer } = slow();
    const { gateway, clock } = start([provider]);
    const pending = gateway.answer({ apiKey: KEY, model: 'exa/answer', query: 'When?' });
    await clock.advance(0);
    const closing = gateway.close();
    expect(gateway.status()).toMatchObject({ closing: true, inFlight: 1, holdsInFlight: 1 });
    answer(OUTCOME);
    await pending;
    await closing;
    expect(gateway.status()).toMatchObject({ ...IDLE, closing: true });
  });
});

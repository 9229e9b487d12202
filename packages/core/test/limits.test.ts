import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createAdministration } from '../src/admin/index.js';
import { createGateway, type Ledger, memoryApiKeys, memoryLedger } from '../src/index.js';
import { KEY, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

const MODEL = 'exa/answer';
const twice = { requests: 2, periodMs: 60_000 };

/** A ledger that records its calls. */
function watched(ledger: Ledger) {
  const asked: string[] = [];
  const noted: Ledger = {
    ...ledger,
    hold(request) {
      asked.push('hold');
      return ledger.hold(request);
    },
    admit(request) {
      asked.push('admit');
      return ledger.admit(request);
    },
  };
  return { ledger: noted, asked };
}

function limited(options: Partial<Parameters<typeof start>[1]> = {}) {
  const clock = createFakeClock();
  const { ledger, asked } = watched(memoryLedger({ credits: { acme: '10' }, clock }));
  const { provider, calls } = scripted('exa', [OUTCOME]);
  const apiKeys = memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]);
  const gateway = start([provider], { apiKeys, ledger, clock, ...options });
  return { ...gateway, clock, asked, calls, apiKeys };
}

describe('limits of callers', () => {
  it('refuses a key beyond its rate without asking the ledger until its Retry-After is over', async () => {
    const { ask, asked, calls, clock } = limited({ defaultLimits: { keys: { rateLimit: twice } } });
    await ask(MODEL);
    await ask(MODEL);
    expect(await reasonOf(ask(MODEL))).toBe('rate_limited');
    expect(asked).toHaveLength(3);
    for (let index = 0; index < 1_000; index += 1) expect(await reasonOf(ask(MODEL))).toBe('rate_limited');
    await clock.advance(29_999);
    expect(await reasonOf(ask(MODEL))).toBe('rate_limited');
    expect(asked).toHaveLength(3);
    await clock.advance(1);
    expect(await reasonOf(ask(MODEL))).toBe('answered');
    expect([asked.length, calls.length]).toEqual([4, 3]);
  });

  it('prefers the key’s limit to the organization’s, and that to the default', async () => {
    const options = {
      defaultLimits: { keys: { maxConcurrent: 9, rateLimit: { requests: 9, periodMs: 9_000 } } },
      organizationLimits: { acme: { keys: { maxConcurrent: 7 } } },
    };
    const { gateway, apiKeys } = limited(options);
    const shown = async () => {
      const { rateLimit, maxConcurrent } = await gateway.key({ apiKey: KEY });
      return [rateLimit?.requests, maxConcurrent];
    };
    expect(await shown()).toEqual([9, 7]);
    const key = await apiKeys.updateKey('key', { maxConcurrent: 5, rateLimit: { requests: 5, periodMs: 5_000 } });
    gateway.invalidateKey(key?.hash ?? '');
    expect(await shown()).toEqual([5, 5]);
    const host = { apiKey: { id: 'user', organizationId: 'globex' } };
    expect(await gateway.key(host)).toMatchObject({ rateLimit: { requests: 9, remaining: 9 }, maxConcurrent: 9 });
  });

  it('applies a changed limit within the age of a cached key', async () => {
    const { ask, clock, ledger, apiKeys } = limited();
    const administration = createAdministration({ ledger, apiKeys });
    await ask(MODEL);
    await administration.apiKeys.update('key', { rateLimit: { requests: 1, periodMs: 86_400_000 } });
    await clock.advance(5_001);
    await ask(MODEL);
    expect(await reasonOf(ask(MODEL))).toBe('rate_limited');
    await administration.apiKeys.update('key', { rateLimit: { requests: 3, periodMs: 86_400_000 } });
    await clock.advance(5_001);
    expect(await reasonOf(ask(MODEL))).toBe('answered');
  });

  it('refuses a ledger without limits when built, and names the missing method', () => {
    const { admit: _, ratesUsed: __, ...old } = memoryLedger();
    const build = () =>
      createGateway({
        providers: [scripted('exa', [OUTCOME]).provider],
        ledger: old as Ledger,
        apiKeys: memoryApiKeys(),
      });
    expect(build).toThrow(
      /ledger: found an object, expected a ledger such as memoryLedger\(\), with the methods admit, ratesUsed too/,
    );
  });

  it.each([
    { keys: { rateLimit: { requests: 0, periodMs: 60_000 } } },
    { keys: { rateLimit: 60 } },
    { keys: { maxConcurrent: 1.5 } },
    { key: { maxConcurrent: 1 } },
    { organizations: { concurrency: 1 } },
  ])('refuses invalid limits when built: %o', (defaultLimits) => {
    expect(() => limited({ defaultLimits: defaultLimits as never })).toThrow(
      /defaultLimits\.(keys|organizations|key)|"key"/,
    );
  });
});

import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { AdmitRequest, AdmitResult } from '../ledger/ledger.js';
import type { AnswerRequest, RequestContext } from './answer.js';
import { createCallerAdmission } from './caller-admission.js';
import type { CallerLimits } from './caller-limits.js';
import { createRateLimitCache } from './rate-limit-cache.js';

const LIMIT = { requests: 2, periodMs: 60_000 };
const RATED: CallerLimits = { keyRateLimit: LIMIT, keyMaxConcurrent: 1 };
const API_KEY = { id: 'key', organizationId: 'acme', limit: null, limitReset: null, allowedModels: null };
const REFUSED: AdmitResult = { status: 'refused', by: 'key_rate', ratesUsed: { key: 2, organization: null } };

function start(answer: AdmitResult | Error, limits: CallerLimits = RATED) {
  const asked: AdmitRequest[] = [];
  const logged: unknown[] = [];
  const clock = createFakeClock();
  const refusals = createRateLimitCache(clock);
  const callers = createCallerAdmission({
    ledger: {
      admit(request) {
        asked.push(request);
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
    refusals,
    logger: { warn: () => undefined, error: (...line: unknown[]) => logged.push(line) },
    limitsOf: () => limits,
  });
  const context = { requestId: 'req_1', rates: null } as RequestContext;
  const apiKey: AnswerRequest['apiKey'] = API_KEY;
  return {
    admit: () => callers.admit(apiKey, context),
    check: () => {
      callers.check(apiKey, context);
    },
    asked,
    logged,
    clock,
    refusals,
    context,
  };
}

describe('the admission of callers', () => {
  it('counts a request, and keeps the used rates for the headers', async () => {
    const ratesUsed = { key: 1, organization: null };
    const { admit, asked, context } = start({ status: 'admitted', ratesUsed });
    await admit();
    expect(asked).toStrictEqual([
      { keyId: 'key', organizationId: 'acme', keyRateLimit: LIMIT, organizationRateLimit: undefined },
    ]);
    expect(context.rates).toEqual({ ...RATED, used: ratesUsed });
  });

  it('refuses a request over the rate, and further requests without asking the ledger until the next one fits', async () => {
    const { admit, check, asked, clock, context } = start(REFUSED);
    const refusal = {
      reason: 'rate_limited',
      retryAfterMs: 30_000,
      details: { scope: 'key', limit: 2, periodSeconds: 60, retryAfterSeconds: 30 },
    };
    check();
    await expect(admit()).rejects.toMatchObject(refusal);
    expect(context.rates?.used).toEqual({ key: 2, organization: null });
    expect(check).toThrow(expect.objectContaining(refusal));
    await clock.advance(29_500);
    expect(check).toThrow(expect.objectContaining({ retryAfterMs: 500 }));
    await clock.advance(500);
    expect(check).not.toThrow();
    expect(asked).toHaveLength(1);
  });

  it('reports the used rates with a known refusal', () => {
    const { check, refusals, context } = start(REFUSED);
    refusals.note(API_KEY, RATED, REFUSED);
    expect(check).toThrow(expect.objectContaining({ reason: 'rate_limited' }));
    expect(context.rates).toEqual({ ...RATED, used: { key: 2, organization: null } });
  });

  it('asks no ledger for a caller without a rate', async () => {
    const { admit, check, asked, context } = start(REFUSED, { keyMaxConcurrent: 1 });
    await admit();
    check();
    expect([asked, context.rates]).toEqual([[], null]);
  });

  it('makes a failing ledger a 503, and logs why', async () => {
    const down = new Error('down');
    const { admit, check, logged } = start(down);
    await expect(admit()).rejects.toMatchObject({ reason: 'ledger_unavailable', retryAfterMs: 1_000, cause: down });
    expect(logged).toEqual([[{ error: down, requestId: 'req_1' }, expect.any(String)]]);
    expect(check).not.toThrow();
  });
});

import { memoryIdempotency } from '@searchgate/core';
import type { ClaimRequest, IdempotencyStore } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import type { IdempotencyUnderTest } from '../src/idempotency/idempotency-suite.js';
import { idempotencyConformance } from '../src/idempotency-conformance.js';
import type { TestRunner } from '../src/test-runner.js';

type Break = (sound: IdempotencyStore) => Partial<IdempotencyStore>;

const alone = (breaks: Break) => async (): Promise<IdempotencyUnderTest> => {
  const sound = memoryIdempotency();
  return { store: { ...sound, ...breaks(sound) }, dispose: () => Promise.resolve() };
};

/** Several handles on one store, each broken separately: behaves like a shared store. */
const shared = (breaks: Break) => async (): Promise<IdempotencyUnderTest> => {
  const sound = memoryIdempotency();
  const connect = async () => ({ ...sound, ...breaks(sound) });
  return { store: await connect(), connect, reopen: connect, dispose: () => Promise.resolve() };
};

/** The names of the tests that fail. */
async function failures(create: () => Promise<IdempotencyUnderTest>, supports = {}): Promise<string[]> {
  const tests = new Map<string, () => Promise<void>>();
  const runner = { describe: (_name, body) => body(), it: (name, body) => tests.set(name, body) } satisfies TestRunner;
  idempotencyConformance({ ...runner, create, supports });
  const failed: string[] = [];
  for (const [name, body] of tests) await body().catch(() => failed.push(name));
  return failed;
}

const changing = (change: (request: ClaimRequest) => ClaimRequest): Break => {
  return ({ claim }) => ({ claim: (request) => claim(change(request)) });
};

/** By its fault: a store, and the test that must fail. */
const FAULTS: Readonly<Record<string, readonly [breaks: Break, caughtBy: string]>> = {
  'looks, waits, and claims without looking again': [
    ({ claim }) => {
      let looking = 0;
      return {
        async claim(request) {
          looking += 1;
          await Promise.resolve();
          const result = await claim(request);
          looking -= 1;
          return looking > 0 && result.status === 'in_progress' ? { status: 'claimed' } : result;
        },
      };
    },
    'gives a key to exactly one of 100 parallel claims',
  ],
  'knows no API keys': [
    changing((request) => ({ ...request, keyId: 'shared' })),
    'keeps the same name of two API keys apart',
  ],
  'joins key and name with a character both may have': [
    changing((request) => ({
      ...request,
      keyId: 'x',
      idempotencyKey: `${request.keyId}:${request.idempotencyKey}`.slice(0, 255),
    })),
    'never mistakes the end of a key for the beginning of a name',
  ],
  'ignores case': [
    changing((request) => ({ ...request, idempotencyKey: request.idempotencyKey.toLowerCase() })),
    'takes any printable ASCII name, and distinguishes names to the character',
  ],
  'trims names': [
    changing((request) => ({ ...request, idempotencyKey: request.idempotencyKey.trim() || '-' })),
    'takes any printable ASCII name, and distinguishes names to the character',
  ],
  'ignores what is asked for': [
    changing((request) => ({ ...request, fingerprint: '0'.repeat(64) })),
    'detects another request under the same key, running or finished',
  ],
  'never expires a claim': [
    changing((request) => ({ ...request, expiresAtMs: Number.MAX_SAFE_INTEGER })),
    'keeps a claim until it expires, then gives the key to any caller',
  ],
  'expires claims at once': [
    changing((request) => ({ ...request, expiresAtMs: request.nowMs })),
    'reports a first call in progress',
  ],
  'forgets what is finished when its claim would have expired': [
    ({ complete }) => ({
      complete: (claim, response) => complete(claim, response, (claim as ClaimRequest).expiresAtMs),
    }),
    'keeps a finished name until its time, then frees it',
  ],
  'keeps what is finished forever': [
    ({ complete }) => ({ complete: (claim, response) => complete(claim, response, Number.MAX_SAFE_INTEGER) }),
    'keeps a finished name until its time, then frees it',
  ],
  'lets any caller complete': [
    (sound) => {
      const holders = new Map<string, string>();
      return {
        async claim(request) {
          const result = await sound.claim(request);
          if (result.status === 'claimed') holders.set(request.idempotencyKey, request.claimId);
          return result;
        },
        complete: (claim, response, keepUntilMs) =>
          sound.complete(
            { ...claim, claimId: holders.get(claim.idempotencyKey) ?? claim.claimId },
            response,
            keepUntilMs,
          ),
      };
    },
    'keeps the response of the first of two claims that completes',
  ],
  'completes only what is claimed': [
    ({ claim, complete, free }) => {
      const held = new Set<string>();
      return {
        async claim(request) {
          const result = await claim(request);
          if (result.status === 'claimed') held.add(request.claimId);
          return result;
        },
        complete: async (given, ...rest) => held.has(given.claimId) && complete(given, ...rest),
        free: (given) => (held.delete(given.claimId), free(given)),
      };
    },
    'completes a name that is free: forgotten, freed or expired',
  ],
  'completes what another request has claimed': [
    ({ claim, complete }) => {
      const asked = new Map<string, string>();
      return {
        claim: (request) => (asked.set(request.idempotencyKey, request.fingerprint), claim(request)),
        complete: ({ fingerprint, ...held }, ...rest) =>
          complete({ ...held, fingerprint: asked.get(held.idempotencyKey) ?? fingerprint }, ...rest),
      };
    },
    'completes no claim of another request',
  ],
  'stores bodies as Latin-1': [
    ({ complete }) => ({
      complete: (claim, { status, body }, keepUntilMs) =>
        complete(claim, { status, body: Buffer.from(body, 'latin1').toString('latin1') }, keepUntilMs),
    }),
    'replays characters beyond ASCII to the last character',
  ],
  'ends bodies at a NUL': [
    ({ complete }) => ({
      complete: (claim, { status, body }, keepUntilMs) =>
        complete(claim, { status, body: body.split('\\u0000')[0] ?? '' }, keepUntilMs),
    }),
    'replays control characters to the last character',
  ],
  'cuts bodies at 64 KiB': [
    ({ complete }) => ({
      complete: (claim, { status, body }, keepUntilMs) =>
        complete(claim, { status, body: body.slice(0, 65_536) }, keepUntilMs),
    }),
    'replays one mebibyte to the last character',
  ],
  'replays every status as 200': [
    ({ complete }) => ({
      complete: (claim, { body }, keepUntilMs) => complete(claim, { status: 200, body }, keepUntilMs),
    }),
    'replays the status',
  ],
  'frees nothing': [() => ({ free: () => Promise.resolve(true) }), 'gives a freed key to any caller, for any request'],
  'cannot be asked twice': [
    ({ claim }) => {
      const seen = new Set<string>();
      return {
        async claim(request) {
          const again = seen.has(request.claimId);
          seen.add(request.claimId);
          const result = await claim(request);
          return again && result.status === 'claimed' ? { status: 'in_progress' } : result;
        },
      };
    },
    'lets a claim be repeated, since its first reply may be lost',
  ],
  'does not renew a claim': [
    ({ claim }) => {
      const firstExpiries = new Map<string, number>();
      return {
        claim(request) {
          const expiresAtMs = firstExpiries.get(request.claimId) ?? request.expiresAtMs;
          firstExpiries.set(request.claimId, expiresAtMs);
          return claim({ ...request, expiresAtMs });
        },
      };
    },
    'keeps a claim that the same claim makes again until its new expiry',
  ],
  'throws where it should reject': [
    ({ free }) => ({
      free(claim) {
        if (claim.keyId === '') throw new Error('no id');
        return free(claim);
      },
    }),
    'refuses invalid ids as keyId',
  ],
};

describe('idempotencyConformance', () => {
  it.each(Object.entries(FAULTS))('catches a store that %s', async (_fault, [breaks, caughtBy]) => {
    expect(await failures(alone(breaks))).toContain(caughtBy);
  });

  it('catches handles that do not share their keys', async () => {
    const create = shared(() => memoryIdempotency());
    const failed = await failures(create, { connections: true, reopen: true });
    expect(failed).toContain('gives a key to exactly one of 100 parallel claims through four handles');
    expect(failed).toContain('keeps claims and responses it acknowledged');
  });

  idempotencyConformance({ describe, it, create: shared(() => ({})), supports: { connections: true, reopen: true } });
});

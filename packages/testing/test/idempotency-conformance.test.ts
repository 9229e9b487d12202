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

const FAULTS: readonly { fault: string; breaks: Break; caughtBy: string }[] = [
  {
    fault: 'looks, waits, and claims without looking again',
    breaks: ({ claim }) => {
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
    caughtBy: 'gives a key to exactly one of 100 parallel claims',
  },
  {
    fault: 'knows no API keys',
    breaks: changing((request) => ({ ...request, keyId: 'shared' })),
    caughtBy: 'keeps the same name of two API keys apart',
  },
  {
    fault: 'joins key and name with a character both may have',
    breaks: changing((request) => ({
      ...request,
      keyId: 'x',
      idempotencyKey: `${request.keyId}:${request.idempotencyKey}`.slice(0, 255),
    })),
    caughtBy: 'never mistakes the end of a key for the beginning of a name',
  },
  {
    fault: 'ignores case',
    breaks: changing((request) => ({ ...request, idempotencyKey: request.idempotencyKey.toLowerCase() })),
    caughtBy: 'takes any printable ASCII name, and distinguishes names to the character',
  },
  {
    fault: 'trims names',
    breaks: changing((request) => ({ ...request, idempotencyKey: request.idempotencyKey.trim() || '-' })),
    caughtBy: 'takes any printable ASCII name, and distinguishes names to the character',
  },
  {
    fault: 'ignores what is asked for',
    breaks: changing((request) => ({ ...request, fingerprint: '0'.repeat(64) })),
    caughtBy: 'detects another request under the same key, running or finished',
  },
  {
    fault: 'never expires a claim',
    breaks: changing((request) => ({ ...request, expiresAtMs: Number.MAX_SAFE_INTEGER })),
    caughtBy: 'keeps a claim until it expires, then gives the key to any caller',
  },
  {
    fault: 'expires claims at once',
    breaks: changing((request) => ({ ...request, expiresAtMs: request.nowMs })),
    caughtBy: 'reports a first call in progress',
  },
  {
    fault: 'forgets what is finished when its claim would have expired',
    breaks: ({ complete }) => ({
      complete: (claim, response) => complete(claim, response, (claim as ClaimRequest).expiresAtMs),
    }),
    caughtBy: 'keeps a finished name until its time, then frees it',
  },
  {
    fault: 'keeps what is finished forever',
    breaks: ({ complete }) => ({ complete: (claim, response) => complete(claim, response, Number.MAX_SAFE_INTEGER) }),
    caughtBy: 'keeps a finished name until its time, then frees it',
  },
  {
    fault: 'lets any caller complete',
    breaks: (sound) => {
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
    caughtBy: 'keeps the response of the first of two claims that completes',
  },
  {
    fault: 'completes only what is claimed',
    breaks: ({ claim, complete, free }) => {
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
    caughtBy: 'completes a name that is free: forgotten, freed or expired',
  },
  {
    fault: 'completes what another request has claimed',
    breaks: ({ claim, complete }) => {
      const asked = new Map<string, string>();
      return {
        claim: (request) => (asked.set(request.idempotencyKey, request.fingerprint), claim(request)),
        complete: ({ fingerprint, ...held }, ...rest) =>
          complete({ ...held, fingerprint: asked.get(held.idempotencyKey) ?? fingerprint }, ...rest),
      };
    },
    caughtBy: 'completes no claim of another request',
  },
  {
    fault: 'stores bodies as Latin-1',
    breaks: ({ complete }) => ({
      complete: (claim, { status, body }, keepUntilMs) =>
        complete(claim, { status, body: Buffer.from(body, 'latin1').toString('latin1') }, keepUntilMs),
    }),
    caughtBy: 'replays characters beyond ASCII to the last character',
  },
  {
    fault: 'ends bodies at a NUL',
    breaks: ({ complete }) => ({
      complete: (claim, { status, body }, keepUntilMs) =>
        complete(claim, { status, body: body.split('\\u0000')[0] ?? '' }, keepUntilMs),
    }),
    caughtBy: 'replays control characters to the last character',
  },
  {
    fault: 'cuts bodies at 64 KiB',
    breaks: ({ complete }) => ({
      complete: (claim, { status, body }, keepUntilMs) =>
        complete(claim, { status, body: body.slice(0, 65_536) }, keepUntilMs),
    }),
    caughtBy: 'replays one mebibyte to the last character',
  },
  {
    fault: 'replays every status as 200',
    breaks: ({ complete }) => ({
      complete: (claim, { body }, keepUntilMs) => complete(claim, { status: 200, body }, keepUntilMs),
    }),
    caughtBy: 'replays the status',
  },
  {
    fault: 'frees nothing',
    breaks: () => ({ free: () => Promise.resolve(true) }),
    caughtBy: 'gives a freed key to any caller, for any request',
  },
  {
    fault: 'cannot be asked twice',
    breaks: ({ claim }) => {
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
    caughtBy: 'lets a claim be repeated, since its first reply may be lost',
  },
  {
    fault: 'does not renew a claim',
    breaks: ({ claim }) => {
      const firstExpiries = new Map<string, number>();
      return {
        claim(request) {
          const expiresAtMs = firstExpiries.get(request.claimId) ?? request.expiresAtMs;
          firstExpiries.set(request.claimId, expiresAtMs);
          return claim({ ...request, expiresAtMs });
        },
      };
    },
    caughtBy: 'keeps a claim that the same claim makes again until its new expiry',
  },
  {
    fault: 'throws where it should reject',
    breaks: ({ free }) => ({
      free(claim) {
        if (claim.keyId === '') throw new Error('no id');
        return free(claim);
      },
    }),
    caughtBy: 'refuses invalid ids as keyId',
  },
];

describe('idempotencyConformance', () => {
  it.each(FAULTS)('catches a store that $fault', async ({ breaks, caughtBy }) => {
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

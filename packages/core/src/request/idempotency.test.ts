import { createHash } from 'node:crypto';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { Reason } from '../base/errors/reasons.js';
import { RequestError } from '../base/errors/request-error.js';
import type { Message } from '../base/message.js';
import type { AnswerRequest, PresentedAnswer } from '../call/answer.js';
import { QuestionCall } from '../kinds/answer/question-call.js';
import type { Claim } from '../ledger/idempotency-store.js';
import { replyText } from './answer-reply.js';
import { type AuthenticatedCall, openContext } from './handle-request-lifecycle.js';
import { type AnswerOnceDeps, answerOnce } from './idempotency.js';

const HEAD = { id: 'ans_1', model: 'exa/answer', provider: 'exa' };
const ANSWER: PresentedAnswer = { ...HEAD, body: { fields: { answer: 'In May.' }, usage: {} }, cost: 5_000_000n };

const withoutFingerprint = ({ keyId, idempotencyKey, claimId }: Claim) => ({ keyId, idempotencyKey, claimId });

/** A call with this number of attempts, and the end of its claim. */
function start({
  attempts = 0,
  joined = false,
  request: { earlier, ...options } = {},
}: Partial<AuthenticatedCall['context']> & { request?: { readonly earlier?: readonly Message[] } } = {}) {
  const steps: unknown[] = [];
  const fingerprints: string[] = [];
  const clock = createFakeClock(5_000);
  const deps: AnswerOnceDeps = {
    claims: {
      take: async ({ fingerprint, ...claim }) => {
        fingerprints.push(fingerprint);
        steps.push(['take', claim]);
        return null;
      },
      complete: async (claim, ...rest) => void steps.push(['complete', withoutFingerprint(claim), ...rest]),
      free: async (claim, ...rest) => void steps.push(['free', withoutFingerprint(claim), ...rest]),
    },
    callers: { admit: () => Promise.reject(new Error('not asked for')) },
    clock,
    newId: (nowMs) => String(nowMs),
  };
  const context = { ...openContext('req_1'), attempts, joined };
  const state = { apiKey: { id: 'key' }, context, replay: null } as unknown as AuthenticatedCall;
  const asking = new QuestionCall({ query: 'When?', includeCitations: true, earlier }, null);
  const asked = { model: 'fast', call: asking, ...options } as unknown as AnswerRequest;
  const plan = { request: asked, expiresAtMs: 9_000 } as never;
  const once = (run: () => Promise<PresentedAnswer>) =>
    answerOnce(deps, { idempotencyKey: 'order-17', plan, state }, run);
  return { steps, fingerprints, once };
}

const EARLIER = [{ role: 'user', content: 'Where?' }] as const;
const CLAIM = { keyId: 'key', idempotencyKey: 'order-17', claimId: 'claim_5000' };

describe('a call that is made once', () => {
  it('claims its name first, and keeps its answer', async () => {
    const { steps, once } = start();
    const body = await once(async () => (steps.push('run'), ANSWER));
    expect(body).toBe(replyText(ANSWER));
    expect(steps).toEqual([
      ['take', { ...CLAIM, nowMs: 5_000, expiresAtMs: 9_000 }],
      'run',
      ['complete', CLAIM, { status: 200, body }, 'req_1'],
    ]);
  });

  it.each<[reason: Reason, context: { attempts?: number; joined?: boolean }, isKept: boolean]>([
    ['upstream_invalid_response', { attempts: 1 }, false],
    ['query_rejected', { attempts: 1 }, true],
    ['query_rejected', { joined: true }, true],
    ['query_rejected', {}, false],
    ['client_closed_request', { attempts: 1 }, false],
    ['client_closed_request', { joined: true }, false],
  ])('that ended with %s after %j keeps its outcome: %s', async (reason, context, isKept) => {
    const { steps, once } = start(context);
    const error = new RequestError(reason);
    await expect(once(() => Promise.reject(error))).rejects.toBe(error);
    const kept = { status: error.status, body: JSON.stringify({ reason, requestId: 'req_1' }) };
    expect(steps[1]).toEqual(isKept ? ['complete', CLAIM, kept, 'req_1'] : ['free', CLAIM, 'req_1']);
  });

  it.each<[request: object, more: unknown[]]>([
    [{}, []],
    [{ search: { country: 'DE' } }, [{ search: { country: 'DE' } }]],
    [{ routing: { sort: 'price' } }, [{ routing: { sort: 'price' } }]],
    [{ tag: 'team-a' }, [{ tag: 'team-a' }]],
    [{ earlier: EARLIER, tag: 'team-a' }, [{ tag: 'team-a', earlier: EARLIER }]],
    [{ tag: 'team-a', search: { country: 'DE' } }, [{ search: { country: 'DE' }, tag: 'team-a' }]],
  ])('has a fingerprint of its fields, which includes %j only if it is present', async (request, more) => {
    const { fingerprints, once } = start({ request });
    await once(() => Promise.resolve(ANSWER));
    const asked = JSON.stringify(['fast', 'When?', true, ...more]);
    expect(fingerprints).toEqual([createHash('sha256').update(asked).digest('hex')]);
  });
});

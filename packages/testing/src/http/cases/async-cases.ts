import assert from 'node:assert/strict';
import { ask, badRequest, type HttpCase, invalid, refused, row } from '../http-case.js';
import { QUERIES } from '../stub-provider.js';
import type { WireResponse } from '../wire.js';
import { replayed } from './named-call.js';

const gateway = () => ({ endpoints: { asyncAnswers: true } });
const headers = { prefer: 'respond-async' };
const ACCEPTED = { location: /^answers\/async_[0-9A-Z]{26}$/, 'preference-applied': 'respond-async' };
/** The id is relative to the path, here with a final slash. */
const UPWARDS = { ...ACCEPTED, location: /^\.\.\/answers\/async_[0-9A-Z]{26}$/ };
const AT_SLASH = ask({}, { headers, target: '/api/v1/answer/' });
const CHARGE = { amount: '0.005', model: 'stub/flat' };

const bodyOf = ({ body }: WireResponse) => JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;

/** Answers whose callers come back for them: `Prefer: respond-async`. */
export const ASYNC_CASES: readonly HttpCase[] = [
  {
    name: 'answers 202 with the id of an answer, and shows the answer behind it',
    gateway,
    request: ask({ query: QUERIES.wait }, { headers }),
    during: async ({ send, provider, gateway: { on } }, { response }) => {
      const { location = '' } = (await response).headers;
      const target = `/api/v1/${location}`;
      const held = bodyOf(await send({ target }).response);
      assert.equal(held['status'], 'held');
      const finished = new Promise<void>((resolve) => {
        on(({ type }) => {
          if (type === 'answer_finished') resolve();
        });
      });
      provider.release();
      await finished;
      const { status, cost, answer, error } = bodyOf(await send({ target }).response);
      assert.deepEqual({ status, cost, error }, { status: 'charged', cost: 0.005, error: undefined });
      assert.deepEqual((answer as { usage: unknown }).usage, { cost: 0.005 });
    },
    expect: { status: 202, body: '{"id":"<id>"}', headers: ACCEPTED, charge: CHARGE, event: { cost: 5_000_000n } },
  },
  replayed({
    ...row('gives the same 202 to a repeat', AT_SLASH, { status: 202, headers: UPWARDS, charge: CHARGE }),
    gateway,
  }),
  {
    name: 'refuses a stream that the caller does not wait for',
    gateway,
    request: ask({ stream: true }, { headers }),
    expect: badRequest('invalid_field', {
      param: 'stream',
      metadata: { issues: [{ path: 'stream', message: 'must be false with "Prefer: respond-async"' }] },
    }),
  },
  {
    name: 'waits where asynchronous answers are not on',
    request: ask({}, { headers }),
    expect: { status: 200, headers: { 'preference-applied': null }, charge: CHARGE },
  },
  {
    name: 'ends no answer of an unknown id',
    gateway,
    request: { method: 'DELETE', target: '/api/v1/answers/async_unknown' },
    expect: refused(404, { type: 'not_found_error', reason: 'answer_not_found' }),
  },
  {
    name: 'refuses other methods on an answer',
    gateway,
    request: { method: 'PUT', target: '/api/v1/answers/async_unknown' },
    expect: refused(405, invalid('method_not_allowed', { metadata: { allow: ['GET', 'HEAD', 'DELETE'] } }), {
      headers: { allow: 'GET, HEAD, DELETE' },
    }),
  },
];

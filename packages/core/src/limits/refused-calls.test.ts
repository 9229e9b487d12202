import { createFakeClock } from '@searchgate/testing';
import { expect, it } from 'vitest';
import { REASONS, type Reason } from '../base/errors/reasons.js';
import { RequestError } from '../base/errors/request-error.js';
import { tryJson } from '../base/json-counts.js';
import { createRefusedCalls } from './refused-calls.js';

const refusal = (retryAfterMs: number) =>
  expect.objectContaining({ reason: 'too_many_refused_calls', retryAfterMs }) as Error;

function start() {
  const clock = createFakeClock();
  const calls = createRefusedCalls(clock);
  const refuse = (count: number, reason: Reason = 'invalid_field') => {
    for (let refused = 0; refused < count; refused += 1) calls.count('key', new RequestError(reason));
  };
  return { clock, refuse, check: (keyId = 'key') => calls.check(keyId) };
}

it('refuses the calls of a key after 600 refusals in a minute, and of no other key', async () => {
  const { clock, refuse, check } = start();
  refuse(599);
  expect(() => check()).not.toThrow();
  refuse(1);
  expect(() => check()).toThrow(refusal(100));
  expect(() => check('other')).not.toThrow();
  await clock.advance(100);
  expect(() => check()).not.toThrow();
  // Of calls under way together, none makes the wait longer.
  refuse(1_000);
  expect(() => check()).toThrow(refusal(100));
});

it('forgets the key whose refusals are the oldest of 10,000 keys', () => {
  const calls = createRefusedCalls(createFakeClock());
  for (let key = 0; key < 10_001; key += 1)
    for (let call = 0; call < (key === 0 ? 600 : 1); call += 1) calls.count(`${key}`);
  expect(() => calls.check('0')).not.toThrow();
});

/** Nothing that a caller could have known before the call; nor any reason of a status from 500 on. */
const UNFORESEEN =
  'auth_rate_limited budget_in_flight rate_limited concurrency_limited too_many_refused_calls request_timeout client_closed_request query_rejected no_answer_found';

it.each(Object.keys(REASONS) as Reason[])('knows whether %s counts', (reason) => {
  const { refuse, check } = start();
  refuse(600, reason);
  const isUnforeseen = REASONS[reason].status >= 500 || UNFORESEEN.split(' ').includes(reason);
  const isServed = tryJson(() => {
    check();
    return true;
  });
  expect(isServed === true).toBe(isUnforeseen);
});

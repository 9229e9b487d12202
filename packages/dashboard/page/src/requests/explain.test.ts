import { expect, it } from 'vitest';
import type { RequestWithAttempts } from '../../../src/api/contract.js';
import { explain, outcomeText } from './explain.js';

const call = { status: 502, cache: null, cause: null, rescued: false, message: null, duration_ms: 3, attempts: [] };
const attempt = { outcome: 'upstream_error', phase: 'headers', upstream_status: 503, code: null, duration_ms: 20_000 };
const exa = { ...attempt, provider: 'exa' };
const refused = { outcome: 'upstream_unreachable', phase: 'connect', upstream_status: null, code: 'ECONNREFUSED' };
const limit = { status: 402, reason: 'key_limit_reached', message: 'The API key has reached its spend limit.' };

it.each<[object, string, string, RegExp]>([
  [
    { reason: 'upstream_error', attempts: [exa] },
    '502 failed to handle the call',
    'exa failed to handle the call (before its reply began, status 503).',
    /status page/,
  ],
  [
    {
      reason: 'upstream_unreachable',
      attempts: [
        { ...exa, outcome: 'hedged' },
        { ...exa, ...refused },
      ],
    },
    '502 could not be reached',
    'exa could not be reached (before it was connected, ECONNREFUSED).',
    /DNS/,
  ],
  [limit, '402 key limit reached', 'The API key has reached its spend limit.', /^Raise the limit of the key/],
  [{ reason: 'of_a_newer_gateway' }, '502 of a newer gateway', 'of a newer gateway.', /^$/],
  [{ status: 200, cache: 'hit' }, 'answered from the cache', 'Answered from the cache.', /^$/],
])('explains %o', (change, words, sentence, advice) => {
  const given = { ...call, ...change } as unknown as RequestWithAttempts;
  expect(outcomeText(given)).toBe(words);
  const explained = explain(given);
  expect(explained.sentence).toBe(sentence);
  expect(explained.advice.join(' ')).toMatch(advice);
});

import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../base/errors/upstream-error.js';
import { assertComplete, assertSearched, withProviderWord } from './finish-reason.js';
import type { ReplyFailure } from './json-endpoint.js';

const failure = ({ reason = 'upstream_error', cost, detail = 'as the provider says' }: ReplyFailure = {}) =>
  new UpstreamError(reason, { phase: 'shape', status: 200, cost: cost ?? null, detail });
const failing = (more: object) => expect.objectContaining({ name: 'UpstreamError', cost: 5n, ...more });

describe('assertComplete', () => {
  it('accepts complete replies', () => {
    expect(() => assertComplete({ finish: 'complete', failure }, {})).not.toThrow();
  });

  it.each([
    ['truncated', 'upstream_invalid_response', 'the answer was cut off'],
    ['refused', 'query_rejected', 'the model declined to answer'],
    ['failed', 'upstream_error', 'as the provider says'],
    ['unproven', 'upstream_error', 'the reply does not say that the answer is complete'],
  ] as const)('refuses a reply that is %s, with its reason and cost', (finish, reason, detail) => {
    expect(() => assertComplete({ finish, failure }, { reported: 5n })).toThrow(failing({ reason, detail }));
  });
});

describe('assertSearched', () => {
  it('accepts only answers that are based on a search', () => {
    expect(() => assertSearched(true, failure, {})).not.toThrow();
    expect(() => assertSearched(false, failure, { reported: 5n })).toThrow(
      failing({ reason: 'upstream_invalid_response', detail: 'the answer is not based on a search' }),
    );
  });
});

describe('withProviderWord', () => {
  it.each([
    ['truncated', 'upstream_invalid_response', 'the answer was cut off: MAX_TOKENS'],
    ['failed', 'upstream_error', 'the provider did not finish: MAX_TOKENS'],
  ] as const)('adds the provider’s word for a reply that is %s', (finish, reason, detail) => {
    const told = withProviderWord('MAX_TOKENS', failure);
    const ended = () => assertComplete({ finish, failure: told }, { reported: 5n });
    expect(ended).toThrow(failing({ reason, detail }));
  });
});

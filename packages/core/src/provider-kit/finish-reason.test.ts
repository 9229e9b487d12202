import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.js';
import { assertSearched, assertWhole, naming } from './finish-reason.js';
import type { ReplyFailure } from './json-endpoint.js';

const failure = ({ reason = 'upstream_error', cost, detail = 'as the provider says' }: ReplyFailure = {}) =>
  new UpstreamError(reason, { phase: 'shape', status: 200, cost: cost ?? null, detail });
const failing = (more: object) => expect.objectContaining({ name: 'UpstreamError', cost: 5n, ...more });

describe('assertWhole', () => {
  it('lets whole replies pass', () => {
    expect(() => assertWhole('whole', failure, {})).not.toThrow();
  });

  it.each([
    ['cut', 'upstream_invalid_response', 'the answer was cut off'],
    ['refused', 'query_rejected', 'the model declined to answer'],
    ['failed', 'upstream_error', 'as the provider says'],
  ] as const)('says what %s means, and what it cost', (ending, reason, detail) => {
    expect(() => assertWhole(ending, failure, { reported: 5n })).toThrow(failing({ reason, detail }));
  });
});

describe('assertSearched', () => {
  it('lets only answers pass that rest on a search', () => {
    expect(() => assertSearched(true, failure, {})).not.toThrow();
    expect(() => assertSearched(false, failure, { reported: 5n })).toThrow(
      failing({ reason: 'upstream_invalid_response', detail: 'no search stands behind the answer' }),
    );
  });
});

describe('naming', () => {
  it.each([
    ['cut', 'upstream_invalid_response', 'the answer was cut off: MAX_TOKENS'],
    ['failed', 'upstream_error', 'the provider did not finish: MAX_TOKENS'],
  ] as const)('adds the provider’s word for what is %s', (ending, reason, detail) => {
    const ended = () => assertWhole(ending, naming('MAX_TOKENS', failure), { reported: 5n });
    expect(ended).toThrow(failing({ reason, detail }));
  });
});

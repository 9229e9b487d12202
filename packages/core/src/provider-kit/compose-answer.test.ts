import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../base/errors/upstream-error.js';
import {
  assertComplete,
  assertSearched,
  composeAnswer,
  outcomeCost,
  type ReplyFailure,
  withProviderWord,
} from './compose-answer.js';

describe('composeAnswer', () => {
  const sources = [
    { id: 7, url: 'https://a.example/' },
    { id: 9, url: 'https://b.example/' },
  ];

  it('lets markers point to the citations', () => {
    expect(composeAnswer({ text: '\n So [9][7, 9], [8] and [1, 7]. ', sources, cost: {} })).toEqual({
      text: 'So [2][1], [8] and [1, 7].',
      markers: [
        { start: 3, end: 6, position: 2 },
        { start: 6, end: 9, position: 1 },
      ],
      citations: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
      cost: {},
    });
  });

  it('puts markers at the marks, and then treats bracketed numbers as words', () => {
    const marks = [{ at: 5, ids: [9, 7] }];
    const annotated = { text: 'It is a[7] or [2] or [9].', marks, sources, cost: {} };
    expect(composeAnswer(annotated).text).toBe('It is[2][1] a[7] or \\[2] or [9].');
    expect(composeAnswer({ ...annotated, numbersAreWords: false }).text).toBe('It is[2][1] a[7] or \\[2] or [2].');
    expect(composeAnswer({ ...annotated, numbersAreWords: false, isGlued: true }).text).toBe(
      'It is[2][1] a[1] or \\[2] or [2].',
    );
  });

  it('leaves out fields that the provider did not send', () => {
    const parts = { text: 'So.', sources, cost: {}, upstreamRequestId: 'r', servedModel: 'm' };
    expect(composeAnswer(parts)).toMatchObject({ upstreamRequestId: 'r', servedModel: 'm' });
    const without = composeAnswer({ ...parts, upstreamRequestId: null, servedModel: undefined });
    expect(Object.keys(without)).toEqual(['text', 'markers', 'citations', 'cost']);
  });

  it.each([
    ['no text', ''],
    ['white space', ' \n'],
    ['a marker of nothing', '[8]'],
    ['more text than is looked through', 'a'.repeat(1_500_001)],
  ])('refuses %s, which is no answer, and reports the cost', (_what, text) => {
    const cost = { reported: 5_000_000n };
    const failure = new UpstreamError('upstream_invalid_response', {
      phase: 'shape',
      status: 200,
      cost: cost.reported,
    });
    expect(() => composeAnswer({ text, sources, cost })).toThrow(
      expect.objectContaining({ reason: failure.reason, phase: failure.phase, status: 200, cost: cost.reported }),
    );
  });
});

describe('outcomeCost', () => {
  it('reads amounts and counts, and ignores all other values', () => {
    expect(outcomeCost(0.005, { inputTokens: 3, outputTokens: null, searches: undefined })).toEqual({
      reported: 5_000_000n,
      usage: { inputTokens: 3 },
    });
    expect(outcomeCost('free')).toEqual({});
    expect(outcomeCost(null, { inputTokens: null })).toEqual({});
    expect(outcomeCost(-1)).toEqual({});
  });
});

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

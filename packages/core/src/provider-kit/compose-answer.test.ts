import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../base/errors/upstream-error.js';
import { composeAnswer, outcomeCost } from './compose-answer.js';

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

import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.js';
import { composeAnswer, outcomeCost } from './compose-answer.js';

describe('composeAnswer', () => {
  const sources = [
    { id: 7, url: 'https://a.example/' },
    { id: 9, url: 'https://b.example/' },
  ];

  it('lets markers point to the citations', () => {
    expect(composeAnswer({ text: '\n So [9][7, 8]. ', sources, cost: {} })).toEqual({
      text: 'So [2][1].',
      citations: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
      cost: {},
    });
  });

  it('removes the brackets after the first 20,000, so that no marker is left there', () => {
    const { text } = composeAnswer({ text: `${'(a) [x]'.repeat(10_000)} [9] 【9】 b`, sources, cost: {} });
    expect(text).toBe(`${'(a) [x]'.repeat(10_000)} 9 9 b`);
  });

  it('leaves out what the provider did not say', () => {
    const parts = { text: 'So.', sources, cost: {}, upstreamRequestId: 'r', servedModel: 'm' };
    expect(composeAnswer(parts)).toMatchObject({ upstreamRequestId: 'r', servedModel: 'm' });
    const without = composeAnswer({ ...parts, upstreamRequestId: null, servedModel: undefined });
    expect(Object.keys(without)).toEqual(['text', 'citations', 'cost']);
  });

  it.each([
    ['no text', ''],
    ['white space', ' \n'],
    ['a marker of nothing', '[8]'],
    ['more text than is looked through', 'a'.repeat(1_500_001)],
  ])('refuses %s, which is no answer, and says what it cost', (_what, text) => {
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
  it('takes amounts and counts, and nothing for anything else', () => {
    expect(outcomeCost(0.005, { inputTokens: 3, outputTokens: null, searches: undefined })).toEqual({
      reported: 5_000_000n,
      usage: { inputTokens: 3 },
    });
    expect(outcomeCost('free')).toEqual({});
    expect(outcomeCost(null, { inputTokens: null })).toEqual({});
    expect(outcomeCost(-1)).toEqual({});
  });
});

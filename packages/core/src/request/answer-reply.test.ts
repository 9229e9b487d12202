import { describe, expect, it } from 'vitest';
import { type AnswerCitation } from '../kinds/answer/answer-listener.js';
import { answerBody } from '../kinds/answer/present-outcome.js';
import { replyText, replyValue } from './answer-reply.js';

const HEAD = { id: 'ans_1', model: 'exa/answer', provider: 'exa' };
const bodyOf = (citations: readonly AnswerCitation[] | null) =>
  answerBody({ answer: 'In May.', citations, markers: [] });
const SOURCE = { title: 'A', url: 'https://example.org/', snippet: '' };

describe('the reply to an answer call', () => {
  it.each<[citations: readonly AnswerCitation[] | null, fields: object]>([
    [null, {}],
    [[], { citations: [] }],
    [[SOURCE], { citations: [SOURCE] }],
  ])('with citations %j has citations exactly when they were wanted, as text and as a value', (citations, fields) => {
    const result = { ...HEAD, body: bodyOf(citations), cost: 5_000_000n };
    const expected = { ...HEAD, answer: 'In May.', ...fields, usage: { cost: 0.005 } };
    expect(replyText(result)).toBe(JSON.stringify(expected));
    expect(replyValue(result)).toStrictEqual(expected);
    expect(replyText(replyText(result))).toBe(replyText(result));
    expect(replyValue(replyText(result))).toEqual(expected);
  });

  it('says the smallest cost without an exponent', () => {
    expect(replyText({ ...HEAD, body: bodyOf(null), cost: 1n })).toContain('"usage":{"cost":0.000000001}');
  });
});

import { describe, expect, it } from 'vitest';
import { QuestionCall } from '../kinds/answer/question-call.js';
import type { AnswerPlan } from './answer.js';
import { answerKey, modelsOf } from './answer-key.js';

const model = (slug: string) => ({ model: { slug } });

function planOf(query: string, route: object = {}, question: object = {}): AnswerPlan {
  return {
    request: { call: new QuestionCall({ query, includeCitations: true, ...question }, null) },
    route: { candidates: [model('exa/answer')], ...route },
  } as unknown as AnswerPlan;
}

describe('the cache key of a call', () => {
  it('ignores the Unicode form of the query and the white space around it', () => {
    expect(answerKey(planOf('\tOu\u0300? \n'))).toBe(answerKey(planOf('O\u00f9?')));
  });

  it.each([
    ['another query', planOf('Where?')],
    ['messages before the query', planOf('When?', {}, { earlier: [{ role: 'user', content: 'Where?' }] })],
    ['another order of models', planOf('When?', { order: { sort: 'price', sorted: 1, maxCost: null } })],
    ['a bound of its cost', planOf('When?', { order: { sort: null, sorted: 1, maxCost: 5n } })],
    ['a fallback', planOf('When?', { candidates: [model('exa/answer'), model('you/answer')] })],
    ['a hedge', planOf('When?', { hedges: [{ second: model('you/answer') }] })],
  ])('differs with %s', (_what, plan) => {
    expect(answerKey(plan)).not.toBe(answerKey(planOf('When?')));
  });

  it('covers hedges too', () => {
    const second = model('you/answer');
    expect(modelsOf(planOf('When?', { hedges: [{ second }] }).route)).toEqual([model('exa/answer'), second]);
  });
});

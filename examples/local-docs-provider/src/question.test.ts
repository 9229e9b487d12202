import { describe, expect, it } from 'vitest';
import { MAX_QUESTION_TERMS, readQuestion, sourceKey } from './question.js';

const sources = new Map(['koa', '@koa/router', 'lru-cache', 'undici'].map((source) => [sourceKey(source), source]));

describe('readQuestion', () => {
  it('separates what a question is about from how it asks', () => {
    const { topics, hints } = readQuestion('How do I set a body timeout in undici?', sources);
    expect({ topics, hints }).toEqual({ topics: ['body', 'timeout'], hints: ['set'] });
  });

  it.each([
    ['Does lru-cache forget?', ['lru-cache']],
    ['does the LRU cache forget', ['lru-cache']],
    ['nested routes with @koa/router', ['@koa/router']],
    ['nested routes with koa router', ['@koa/router']],
    ['koa middleware', ['koa']],
    ['undici inside koa', ['koa', 'undici']],
    ['what is middleware', []],
  ])('finds the sources "%s" names', (question, named) => {
    expect([...readQuestion(question, sources).sources]).toEqual(named);
  });

  it('runs neighboring words together, without the small words between them', () => {
    expect(readQuestion('the size of the response body', sources).joined).toContain(sourceKey('size-response-body'));
  });

  it('finds nothing in a question of small words or signs', () => {
    for (const question of ['How do I do this?', '???', '']) expect(readQuestion(question, sources).topics).toEqual([]);
  });

  it('keeps only so many topics of a long question', () => {
    const question = Array.from({ length: 1_000 }, (_, index) => `topic${index}`).join(' ');
    expect(readQuestion(question, sources).topics).toHaveLength(MAX_QUESTION_TERMS);
  });
});

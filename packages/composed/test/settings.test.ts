import { describe, expect, it } from 'vitest';
import { type ComposedSettings, composed } from '../src/index.js';

const chat = { baseUrl: 'https://chat.example/v1/', model: 'm' };
const model = { search: 'tavily/basic', chat };
const rowOf = (more: object = {}, settings: object = {}) =>
  composed({ id: 'ask', models: { brief: { ...model, ...more } }, ...settings }).models[0];

describe('composed', () => {
  it('has a free row with the parts of the model', () => {
    expect(rowOf()).toEqual({
      slug: 'ask/brief',
      name: 'brief',
      description: 'Answers of m from pages that tavily/basic finds.',
      prices: [
        { kind: 'flat', request: '0', source: "the host's own service", asOf: '2026-11-29', confidence: 'high' },
      ],
      features: ['citations', 'streaming', 'instructions', 'multi_turn', 'max_output_tokens'],
      parts: [{ kind: 'search', model: 'tavily/basic', most: { results: 8 } }],
      contextLength: null,
      timeoutMs: 60_000,
    });
  });

  it('declares the most that one answer asks of each part', () => {
    const row = rowOf({
      search: ['a', 'b'],
      results: 5,
      pages: { extract: 'jina/reader' },
      rerank: 'cohere/fast',
      timeoutMs: 9_000,
    });
    expect(row?.parts).toEqual([
      { kind: 'search', model: 'a', most: { results: 5 } },
      { kind: 'search', model: 'b', most: { results: 5 } },
      { kind: 'extract', model: 'jina/reader', most: { pages: 4 } },
      { kind: 'rerank', model: 'cohere/fast', most: { searchUnits: 1, tokens: 540_000 } },
    ]);
    expect(row?.timeoutMs).toBe(9_000);
  });

  it('prices the tokens of the chat model', () => {
    const prices = { perMillionInputTokens: '0.15', perMillionOutputTokens: '0.60' };
    expect(rowOf({ chat: { ...chat, prices } })?.prices[0]).toMatchObject({
      kind: 'dynamic',
      ...prices,
      typical: '0.000705',
      ceiling: '0.0039',
    });
    const free = { perMillionInputTokens: '0', perMillionOutputTokens: '0' };
    expect(rowOf({ chat: { ...chat, prices: free } })?.prices[0]).toMatchObject({ kind: 'flat', request: '0' });
  });

  it('has limits and policies', () => {
    const settings = { name: 'Ask', policies: ['eu'], maxConcurrent: 3, rateLimit: { requests: 1, periodMs: 1_000 } };
    const { name, policies, limits } = composed({ id: 'ask', models: { brief: model }, ...settings });
    expect({ name, policies, ...limits }).toEqual({ ...settings, maxQueueMs: 1_000 });
  });

  it.each([
    ['composed: found nothing', undefined],
    ['composed.id: found "A B"', { id: 'A B', models: { brief: model } }],
    ['ask.models: found an object, expected at least one model', { id: 'ask', models: {} }],
    ['ask.models["a/b"]: found the name', { id: 'ask', models: { 'a/b': model } }],
    ['ask.models.brief.results: found 11, expected a whole number from 1 to 10', { results: 11 }],
    ['ask.models.brief.search: found nothing, expected a search model', { search: undefined }],
    [
      'ask.models.brief.search: found an array of 2, expected a search model, or 1 to 4 different ones',
      { search: ['a', 'a'] },
    ],
    ['ask.models.brief.pages.most: found 11', { pages: { extract: 'a', most: 11 } }],
    ['ask.models.brief.chat.baseUrl: found "chat.example"', { chat: { ...chat, baseUrl: 'chat.example' } }],
    [
      'ask.models.brief.chat.prices.perMillionInputTokens: found "cheap"',
      { chat: { ...chat, prices: { perMillionInputTokens: 'cheap', perMillionOutputTokens: '1' } } },
    ],
    ['ask.models.brief.chat.apiKey: found a string (not shown)', { chat: { ...chat, apiKey: 'a key' } }],
    ['ask.models.brief.chat.headers.authorization', { chat: { ...chat, headers: { authorization: 'x' } } }],
    ['ask.models.brief.chek: found an unknown option, expected one of search, results', { chek: 'off' }],
    ['ask.models.brief.onUnsupported: found "drop"', { onUnsupported: 'drop' }],
  ])('reports %s', (problem, given) => {
    const settings =
      given === undefined || 'id' in given ? given : { id: 'ask', models: { brief: { ...model, ...given } } };
    expect(() => composed(settings as ComposedSettings)).toThrow(problem);
  });
});

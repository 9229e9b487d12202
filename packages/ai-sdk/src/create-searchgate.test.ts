import { describe, expect, it } from 'vitest';
import { createSearchgate } from './create-searchgate.js';

const searchgate = createSearchgate({ baseUrl: 'https://api.example.com/search', apiKey: 'a-key' });

describe('a provider for the AI SDK', () => {
  it('makes language models of version 4 of the specification', () => {
    const expected = { specificationVersion: 'v4', provider: 'searchgate', modelId: 'exa/answer', supportedUrls: {} };
    expect(searchgate('exa/answer')).toMatchObject(expected);
    expect(searchgate.languageModel('exa/answer')).toMatchObject(expected);
    expect(searchgate.specificationVersion).toBe('v4');
  });

  it('makes models of embeddings and reranks', () => {
    const expected = { specificationVersion: 'v4', provider: 'searchgate', modelId: 'exa/model' };
    expect(searchgate.embeddingModel('exa/model')).toMatchObject({ ...expected, maxEmbeddingsPerCall: 2_048 });
    expect(searchgate.rerankingModel('exa/model')).toMatchObject(expected);
  });

  it.each(['imageModel', 'transcriptionModel', 'speechModel'] as const)('has no %s', (modelType) => {
    expect(() => searchgate[modelType]?.('exa/answer')).toThrow(
      expect.objectContaining({ name: 'AI_NoSuchModelError', modelType, modelId: 'exa/answer' }),
    );
  });

  it.each([
    ['no address', { baseUrl: 'api.example.com', apiKey: 'a-key' }, 'baseUrl'],
    ['an address of another kind', { baseUrl: 'file:///search', apiKey: 'a-key' }, 'baseUrl'],
    ['an empty key', { baseUrl: 'https://api.example.com', apiKey: '' }, 'apiKey'],
    ['a key that is not set', { baseUrl: 'https://api.example.com', apiKey: undefined as unknown as string }, 'apiKey'],
  ])('is refused with %s', (_name, settings, argument) => {
    expect(() => createSearchgate(settings)).toThrow(
      expect.objectContaining({ name: 'AI_InvalidArgumentError', argument }),
    );
  });

  const address = 'https://api.example.com';
  it.each([
    ['a key with a line end', { baseUrl: address, apiKey: 'sg_a-secret\nx' }, 'apiKey'],
    ['a key with a space', { baseUrl: address, apiKey: 'sg_a-secret x' }, 'apiKey'],
    ['a key of other characters', { baseUrl: address, apiKey: 'sg_a-secret…' }, 'apiKey'],
    ['a user', { baseUrl: 'https://me:sg_a-secret@api.example.com', apiKey: null }, 'baseUrl'],
    ['a query', { baseUrl: 'https://api.example.com/?key=sg_a-secret', apiKey: null }, 'baseUrl'],
    ['a fragment', { baseUrl: 'https://api.example.com/#sg_a-secret', apiKey: null }, 'baseUrl'],
    ['a header', { baseUrl: address, apiKey: null, headers: { 'X-Key': 'sg_a-secret\nx' } }, 'headers'],
  ])('is refused with %s that cannot be sent, without printing it', (_name, settings, argument) => {
    const create = () => createSearchgate(settings);
    expect(create).toThrow(expect.objectContaining({ name: 'AI_InvalidArgumentError', argument }));
    expect(create).not.toThrow(/secret/);
  });

  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'When?' }] }];

  it('refuses a header of a call that cannot be sent, without printing it', async () => {
    const asked = searchgate('exa/answer').doGenerate({ prompt, headers: { 'X-Key': 'sg_a-secret\nx' } });
    const error = await Promise.resolve(asked).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'AI_InvalidArgumentError', argument: 'headers' });
    expect(String(error)).not.toContain('secret');
  });

  it('does not follow redirects', async () => {
    const asked: [url: string, redirect: unknown][] = [];
    const fetch = (url: unknown, init?: RequestInit) => {
      asked.push([String(url), init?.redirect]);
      return Promise.resolve(new Response(null, { status: 307, headers: { location: 'https://example.org' } }));
    };
    const model = createSearchgate({ baseUrl: address, apiKey: null, fetch })('exa/answer');
    await expect(model.doGenerate({ prompt })).rejects.toMatchObject({ statusCode: 307, isRetryable: false });
    expect(asked).toEqual([[`${address}/api/v1/answer`, 'manual']]);
  });

  it('sends its key despite an undefined authorization header', async () => {
    const sent: (string | null)[] = [];
    const fetch = (_url: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers).get('authorization'));
      return Promise.resolve(new Response(null, { status: 503 }));
    };
    const headers = { authorization: undefined } as unknown as Record<string, string>;
    const model = createSearchgate({ baseUrl: address, apiKey: 'a-key', headers, fetch })('exa/answer');
    await expect(model.doGenerate({ prompt, headers })).rejects.toMatchObject({ statusCode: 503 });
    expect(sent).toEqual(['Bearer a-key']);
  });

  it('lets the key of a call replace its own', async () => {
    const keys: (string | null)[] = [];
    const fetch = (_url: unknown, init?: RequestInit) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'));
      return Promise.resolve(new Response(null, { status: 503 }));
    };
    const model = createSearchgate({ baseUrl: address, apiKey: null, fetch })('exa/answer');
    const providerOptions = { searchgate: { idempotencyKey: 'order-17' } };
    await expect(model.doGenerate({ prompt, providerOptions })).rejects.toMatchObject({ isRetryable: true });
    await expect(model.doGenerate({ prompt })).rejects.toMatchObject({ isRetryable: true });
    expect(keys).toEqual(['order-17', expect.not.stringMatching('order-17')]);
  });

  it('refuses unknown settings of a model', () => {
    const settings = { serch: {} } as object;
    expect(() => searchgate('exa/answer', settings)).toThrow(
      expect.objectContaining({ name: 'AI_InvalidArgumentError', message: expect.stringContaining('serch') }),
    );
  });

  it.each(['https://api.example.com/search', 'https://api.example.com/search/'])('asks at %s', async (baseUrl) => {
    const asked: string[] = [];
    const fetch = (url: unknown) => {
      asked.push(String(url));
      return Promise.resolve(new Response(null, { status: 403 }));
    };
    const model = createSearchgate({ baseUrl, apiKey: null, fetch })('exa/answer');
    await expect(model.doGenerate({ prompt })).rejects.toMatchObject({ statusCode: 403 });
    expect(asked).toEqual(['https://api.example.com/search/api/v1/answer']);
  });
});

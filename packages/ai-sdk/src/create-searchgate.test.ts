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

  it.each(['embeddingModel', 'imageModel', 'transcriptionModel', 'speechModel', 'rerankingModel'] as const)(
    'has no %s',
    (modelType) => {
      expect(() => searchgate[modelType]?.('exa/answer')).toThrow(
        expect.objectContaining({ name: 'AI_NoSuchModelError', modelType, modelId: 'exa/answer' }),
      );
    },
  );

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

  it('refuses settings of a model that it does not know', () => {
    const settings = { serch: {} } as object;
    expect(() => searchgate('exa/answer', settings)).toThrow(
      expect.objectContaining({ name: 'AI_InvalidArgumentError', message: expect.stringContaining('serch') }),
    );
  });

  it.each(['https://api.example.com/search', 'https://api.example.com/search/'])(
    'asks the gateway at %s',
    async (baseUrl) => {
      const asked: string[] = [];
      const fetch = (url: unknown) => {
        asked.push(String(url));
        return Promise.resolve(new Response(null, { status: 403 }));
      };
      const model = createSearchgate({ baseUrl, apiKey: null, fetch })('exa/answer');
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'When?' }] }];
      await expect(model.doGenerate({ prompt })).rejects.toMatchObject({ statusCode: 403 });
      expect(asked).toEqual(['https://api.example.com/search/api/v1/answer']);
    },
  );
});

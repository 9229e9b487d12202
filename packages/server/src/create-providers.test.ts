import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@searchgate/core';
import type { Provider } from '@searchgate/core/provider-kit';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { afterAll, describe, expect, it } from 'vitest';
import { createProviders, type ProviderConfigs, VENDORS } from './create-providers.js';

const folder = mkdtempSync(join(tmpdir(), 'searchgate-providers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'exa');
writeFileSync(file, 'exa-1\n');
writeFileSync(join(folder, 'empty'), '\n');

function idsOf(environment: Record<string, string>, configs: ProviderConfigs = {}): string[] {
  return createProviders(environment, { providers: configs }, []).map(({ id }) => id);
}

describe('createProviders', () => {
  it('enables each provider whose key is set, and leaves other variables alone', () => {
    const environment = { PERPLEXITY_API_KEY: 'pplx-1', EXA_API_KEY: 'exa-1', EXA_BASE_URL: 'http://127.0.0.1:9' };
    expect(idsOf({ ...environment, YOU_API_KEY: '', HOME: '/root' })).toEqual(['exa', 'perplexity']);
  });

  it.each(Object.keys(VENDORS))('enables %s by the name of its folder', (id) => {
    expect(idsOf({ [`${id.toUpperCase().replaceAll('-', '_')}_API_KEY`]: 'a-key' })).toEqual([id]);
  });

  const SERVICE = { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' } as const;
  const rows = (...slugs: string[]) => slugs.map((slug) => ({ slug, dimensions: 2 }));

  it('enables what needs no key by an address, and services by their type', () => {
    expect(idsOf({ SEARXNG_BASE_URL: 'http://127.0.0.1:9' })).toEqual(['searxng']);
    expect(idsOf({ SEARXNG_API_KEY: 'k', SEARXNG_BASE_URL: '' })).toEqual([]);
    const house = { ...SERVICE, embeddings: rows('house/a') } as ProviderConfigs[string];
    const { baseUrl: _baseUrl, ...elsewhere } = { ...house };
    const searxng = { baseUrl: 'http://127.0.0.1:9', engines: ['wikipedia'] } as ProviderConfigs[string];
    expect(idsOf({}, { house, searxng })).toEqual(['searxng', 'house']);
    expect(idsOf({ HOUSE_BASE_URL: 'http://127.0.0.1:9', HOUSE_API_KEY: 'k' }, { house: elsewhere })).toEqual([
      'house',
    ]);
  });

  it('makes a model of a SearXNG and a chat server, where both have an address', () => {
    const searxng = { SEARXNG_BASE_URL: 'http://127.0.0.1:9' };
    const chat = { CHAT_BASE_URL: 'http://127.0.0.1:8/v1', CHAT_MODEL: 'tiny' };
    const local = { id: 'local', name: 'Local', models: [], rerank: { models: [{ slug: 'local/sort' }] } };
    const parts = (own: readonly unknown[], config = {}) =>
      createProviders({ ...searxng, ...chat }, config, own as Provider[])
        .flatMap(({ models }) => models)
        .map((model) => [model.slug, model.parts?.map((part) => part.model)]);
    expect(parts([])).toEqual([['ask/web', ['searxng/search']]]);
    expect(parts([local])).toEqual([['ask/web', ['searxng/search', 'local/sort']]]);
    expect(parts([], { composed: {} })).toEqual([]);
    expect(idsOf(searxng)).toEqual(['searxng']);
    expect(() => idsOf(chat)).toThrow('CHAT_BASE_URL');
    expect(() => idsOf({ ...searxng, CHAT_BASE_URL: chat.CHAT_BASE_URL })).toThrow('CHAT_MODEL: found nothing');
    expect(() => idsOf({ ...searxng, ...chat, CHAT_BASE_URL: 'here' })).toThrow('CHAT_BASE_URL: found');
  });

  it('makes the models of the file, with limits and policies of their provider', () => {
    const chat = { baseUrl: 'http://127.0.0.1:8/v1', model: 'tiny' };
    const composed = { ask: { brief: { search: 'exa/auto', chat } } };
    const providers = { ask: { policies: ['eu'], maxConcurrent: 2 } };
    expect(createProviders({}, { composed, providers }, [])).toMatchObject([
      { id: 'ask', policies: ['eu'], limits: { maxConcurrent: 2 }, models: [{ slug: 'ask/brief' }] },
    ]);
    const wrong = { ask: { brief: { search: 'exa/auto', chat: { model: 'tiny' }, results: 0 } } };
    const create = () => createProviders({}, { composed: wrong as unknown as typeof composed }, []);
    expect(create).toThrow('composed.ask.brief.results');
    expect(create).toThrow('composed.ask.brief.chat.baseUrl');
    const named = (id: string) => () => createProviders({}, { composed: { [id]: composed.ask } }, []);
    for (const id of ['exa', 'searxng']) expect(named(id)).toThrow(`composed.${id}: found the id of a vendor`);
    expect(named('My Ask')).toThrow('composed["My Ask"]: found "My Ask", expected lower-case letters');
  });

  it('adds models of the file to a vendor', () => {
    const extraModels = [
      { slug: 'voyage/voyage-code-9', category: 'embedding', price: '0.12', dimensions: 1_024 },
    ] as const;
    const [voyage] = createProviders(
      { VOYAGE_API_KEY: 'k' },
      { providers: { voyage: { extraModels, models: ['voyage-code-9'] } } },
      [],
    );
    expect(voyage?.embed?.models).toMatchObject([{ slug: 'voyage/voyage-code-9' }]);
  });

  it('ignores the address of a provider without a key', () => {
    expect(idsOf({ EXA_BASE_URL: 'http://127.0.0.1:9' })).toEqual([]);
  });

  it('enables a provider by a key in the file, or in a file of its own', () => {
    const you = { apiKey: 'you-1', headers: { 'x-team': 'a' } };
    expect(idsOf({}, { exa: { apiKeyFile: file }, you })).toEqual(['exa', 'you']);
  });

  it('passes on the settings of a provider, and limits and policies to one of its own', () => {
    const rateLimit = { requests: 5, periodMs: 1_000 };
    const own = localDocs({ documents: [{ source: 'a', url: 'https://example.org/', markdown: '# A' }] });
    const configs = {
      local: { maxConcurrent: 2, policies: ['eu'] },
      exa: { apiKey: 'exa-1', models: ['answer'], rateLimit, policies: ['zdr'] },
    };
    expect(createProviders({}, { providers: configs }, [own])).toMatchObject([
      { id: 'local', limits: { maxConcurrent: 2 }, policies: ['eu'] },
      { id: 'exa', models: [{ slug: 'exa/answer' }], limits: { rateLimit }, policies: ['zdr'] },
    ]);
  });

  it('takes several keys of the environment or of the file, which comes first', () => {
    const environment = { EXA_API_KEYS: 'exa-1,exa-2', YOU_API_KEYS: 'you-1' };
    const apiKeys = [{ key: 'own-1', name: 'main', maxConcurrent: 2 }, { key: 'own-2' }];
    const you = { apiKeys, pick: 'least-used' } as const;
    const fixed = (name: string, limits = {}) => ({ name, ...limits, rotates: false });
    expect(createProviders(environment, { providers: { you } }, []).map(({ id, keys }) => [id, keys])).toEqual([
      ['exa', { pick: 'first', list: [fixed('key-1'), fixed('key-2')] }],
      ['you', { pick: 'least-used', list: [fixed('main', { maxConcurrent: 2 }), fixed('key-2')] }],
    ]);
    expect(idsOf({ EXA_API_KEY: 'exa-1', EXA_API_KEYS: '' })).toEqual(['exa']);
  });

  it.each([
    ['EXA_API_KEYS: found a value beside apiKey', { EXA_API_KEY: 'secret-1', EXA_API_KEYS: 'secret-2' }, {}],
    ['EXA_API_KEYS: found a string (not shown), expected no key twice', { EXA_API_KEYS: 'secret-1,secret-1' }, {}],
    ['EXA_API_KEYS: found a string (not shown), expected a key without', { EXA_API_KEYS: 'secret-1, secret-2' }, {}],
    ['EXA_API_KEYS: found "", expected a key without', { EXA_API_KEYS: 'secret-1,' }, {}],
    ['providers.exa.apiKeys: found a value beside apiKey', {}, { apiKeyFile: file, apiKeys: [{ key: 'secret-1' }] }],
    ['providers.exa.apiKeys[1].key: found a string (not', {}, { apiKeys: [{ key: 'k' }, { key: 'secret-1 ' }] }],
  ])('refuses %s, and shows no key', (message, environment, exa) => {
    const create = () => createProviders(environment, { providers: { exa } }, []);
    expect(create).toThrow(message);
    expect(create).not.toThrow(/secret-\d/);
  });

  const none = join(folder, 'none');

  it.each<[string, Record<string, string>, ProviderConfigs]>([
    ['providers.exxa: found a provider that is not enabled', {}, { exxa: { apiKey: 'k' } }],
    ['providers.exa: found a provider that is not enabled', {}, { exa: { maxConcurrent: 2 } }],
    ['exa.apiKeyFile: found a value beside apiKey', {}, { exa: { apiKey: 'k', apiKeyFile: file } }],
    [
      `providers.exa.apiKeyFile: found "${none}" (ENOENT), expected a file with the key`,
      {},
      { exa: { apiKeyFile: none } },
    ],
    ['providers.exa.apiKeyFile: found ', { EXA_API_KEY: 'another' }, { exa: { apiKeyFile: join(folder, 'empty') } }],
    ['Did you mean "maxConcurrent"?', {}, { exa: { apiKey: 'k', maxConcurent: 2 } as object }],
    ['providers.exa.baseUrl: found "exa.ai"', { EXA_API_KEY: 'k' }, { exa: { baseUrl: 'exa.ai' } }],
    [
      'providers.house.baseUrl: found nothing, expected an http(s) URL',
      {},
      { house: { ...SERVICE, baseUrl: undefined, embeddings: rows('house/a') } as object },
    ],
    [
      'providers.house.embeddings[0].slug: found "exa/a", expected a slug of the form house/<model>.',
      {},
      { house: { ...SERVICE, embeddings: rows('exa/a') } as object },
    ],
    [
      'providers.voyage.extraModels[0].slug: found "cohere/voyage-4", expected a slug of the form voyage/<model>',
      { VOYAGE_API_KEY: 'k' },
      { voyage: { extraModels: [{ slug: 'cohere/voyage-4', category: 'embedding', price: '1', dimensions: 1 }] } },
    ],
    [
      'providers.exa: found a service with the id of a vendor, expected another id.',
      {},
      { exa: { ...SERVICE, embeddings: rows('exa/a') } as object },
    ],
    [
      'providers.constructor.embeddings[0].slug: found "house/a", expected a slug of the form constructor/<model>',
      {},
      { constructor: { ...SERVICE, embeddings: rows('house/a') } as object },
    ],
    [
      'providers.House.id: found "House", expected lower-case letters, digits and dashes',
      {},
      { House: { ...SERVICE, embeddings: rows('house/a') } as object },
    ],
    ['providers.exa.apiKey: found a string (not', {}, { exa: { apiKey: 'secret-1\n' } }],
  ])('refuses settings of the file: %s', (message, environment, configs) => {
    const create = () => createProviders(environment, { providers: configs }, []);
    expect(create).toThrow(message);
    expect(create).not.toThrow('secret-1');
  });

  it.each([
    ['exa.ai', 'exa.ai'],
    ['https://api.exa.ai?key=secret-1', 'https://api.exa.ai?***'],
    ['https://api.exa.ai/#secret-1', 'https://api.exa.ai/***'],
    ['https://user:secret-1@api.exa.ai', 'https://***@api.exa.ai'],
    ['https://secret-1@api.exa.ai?key=secret-1', 'https://***@api.exa.ai?***'],
    ['api.exa.ai?key=secret-1', 'api.exa.ai?***'],
    ['user:secret-1@api.exa.ai', '***@api.exa.ai'],
    ['ftp://api.exa.ai/?key=secret-1', 'ftp://api.exa.ai/***'],
  ])('refuses the address %s, and shows no secret of it', (address, shown) => {
    const create = () => idsOf({ EXA_API_KEY: 'k', EXA_BASE_URL: address });
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(`EXA_BASE_URL: found "${shown}", expected an http(s) URL without credentials`);
    expect(create).not.toThrow('secret-1');
  });

  it('refuses a key with a line end, without showing the key', () => {
    const create = () => idsOf({ EXA_API_KEY: 'secret-1\n' });
    expect(create).toThrow(/^(?!.*secret-1).*EXA_API_KEY: found a string \(not shown\)/s);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ModelRow } from '../catalog/model-entry.js';
import type { Connection } from './provider.js';
import { commonSettings, parseProviderSettings } from './provider-settings.js';

const model = (slug: string) => ({ slug }) as ModelRow;
const schema = z.strictObject(commonSettings('https://api.example.com', [model('x/small'), model('x/large')]));
const parse = (settings: unknown) => parseProviderSettings(schema, settings, 'x');

const BOTH = [model('x/small'), model('x/large')];
const NO_MODELS = { search: [], extract: [], rerank: [], embed: [] };

describe('the settings of a provider', () => {
  it('need only a key', () => {
    expect(parse({ apiKey: 'k', baseUrl: undefined, headers: undefined, models: undefined })).toEqual({
      connection: { apiKey: 'k', baseUrl: 'https://api.example.com', headers: {} },
      models: BOTH,
      modelsOf: { ...NO_MODELS, answer: BOTH },
      common: { limits: { maxQueueMs: 1_000 } },
      options: {},
    });
  });

  it('take a function for the key, another address, more headers, fewer models', () => {
    const apiKey = () => 'k';
    const headers = { 'X-Team': 'search' };
    expect(parse({ apiKey, baseUrl: 'http://127.0.0.1:8080/exa/', headers, models: ['large'] })).toMatchObject({
      connection: { apiKey, baseUrl: 'http://127.0.0.1:8080/exa', headers: { 'x-team': 'search' } },
      models: [model('x/large')],
      modelsOf: { ...NO_MODELS, answer: [model('x/large')] },
    });
  });

  it.each<[{ apiKey?: string }]>([[{}], [{ apiKey: '' }], [{ apiKey: 'k' }]])(
    'need no key where the provider needs none: %o',
    (given) => {
      const keyless = z.strictObject(commonSettings(null, BOTH, { keyless: true }));
      const settings = { baseUrl: 'http://127.0.0.1:1', ...given };
      expect(parseProviderSettings(keyless, settings, 'x').connection.apiKey).toBe(given.apiKey ?? '');
      expect(() => parseProviderSettings(keyless, given, 'x')).toThrow(
        'x.baseUrl: found nothing, expected an http(s) URL',
      );
      const withLineEnd = { ...settings, apiKey: 'secret-key\n' };
      expect(() => parseProviderSettings(keyless, withLineEnd, 'x')).toThrow(
        'x.apiKey: found a string (not shown), expected a key without spaces',
      );
    },
  );

  it.each([
    [
      'x.apiKey: found nothing, expected a key without spaces, line ends or quotes around it, or a function that returns one. Set X_API_KEY or give apiKey.',
      {},
    ],
    ['or a function that returns one. Set X_API_KEY or give apiKey.', { apiKey: '' }],
    ['x: found nothing, expected an object with apiKey.', undefined],
    ['x.apiKey: found a string (not shown), expected a key', { apiKey: 'secret-key\n' }],
    ['x.apiKey: found a number (not shown)', { apiKey: 7 }],
    ['Did you mean "baseUrl"?', { apiKey: 'k', baseURL: 'https://a.b' }],
    ['x.baseUrl: found "api.example.com", expected an http(s) URL', { apiKey: 'k', baseUrl: 'api.example.com' }],
    ['x.baseUrl', { apiKey: 'k', baseUrl: 'ftp://a.b' }],
    ['x.baseUrl', { apiKey: 'k', baseUrl: 'https://a.b/?' }],
    ['x.baseUrl', { apiKey: 'k', baseUrl: 'https://a.b/#' }],
    ['x.baseUrl: found 7, expected an http(s) URL', { apiKey: 'k', baseUrl: 7 }],
    [
      'x.headers.Authorization: found a string (not shown), expected no header',
      { apiKey: 'k', headers: { Authorization: 'Basic abc' } },
    ],
    ['x.headers["content-length"]', { apiKey: 'k', headers: { 'content-length': '1' } }],
    ['expected the name of an HTTP header', { apiKey: 'k', headers: { 'a b': '1' } }],
    ['expected printable ASCII', { apiKey: 'k', headers: { 'x-a': 'b\r\nc: d' } }],
    ['expected a name that is not given twice', { apiKey: 'k', headers: { 'x-a': '1', 'X-A': '2' } }],
    ['x.headers["x-a"]: found 1, expected a text', { apiKey: 'k', headers: { 'x-a': 1 } }],
    ['x.models[0]: found "huge", expected one of small, large.', { apiKey: 'k', models: ['huge'] }],
    ['expected at least one model name', { apiKey: 'k', models: [] }],
    ['x.policies: found "zdr", expected an array of policies', { apiKey: 'k', policies: 'zdr' }],
    ['x.policies[1]: found "ZDR", expected a lower-case', { apiKey: 'k', policies: ['eu', 'ZDR'] }],
    ['x.policies[0]: found "zdr\\n"', { apiKey: 'k', policies: ['zdr\n'] }],
    ['x.policies[0]', { apiKey: 'k', policies: ['z'.repeat(33)] }],
    ['x.policies: found an array of 9, expected at most 8', { apiKey: 'k', policies: 'a b c d e f g h i'.split(' ') }],
  ])('are refused: %s: %j', (message, settings) => {
    expect(() => parse(settings)).toThrow(message);
  });

  it('are split by purpose, and do not fit as a connection', () => {
    const given = { apiKey: 'k', maxConcurrent: 3, policies: ['zdr'] };
    const { common, connection } = parseProviderSettings(schema, given, 'x');
    const limits = { rateLimit: undefined, maxConcurrent: 3, maxQueueMs: 1_000 };
    expect(common).toEqual({ limits, policies: ['zdr'] });
    expect(connection).toEqual({ apiKey: 'k', baseUrl: 'https://api.example.com', headers: {} });
    const { models: _models, ...others } = schema.parse(given);
    // @ts-expect-error -- its limits and policies would be lost
    const wrong: Connection = others;
    expect(wrong).toMatchObject({ maxConcurrent: 3 });
  });

  it('never print a password in an address', () => {
    const parsing = () => parse({ apiKey: 'k', baseUrl: 'https://user:hunter2@a.b' });
    expect(parsing).toThrow('x.baseUrl');
    expect(parsing).not.toThrow('hunter2');
  });
});

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
      'no key',
      {},
      'x.apiKey: found nothing, expected a key without spaces, line ends or quotes around it, or a function that returns one. Set X_API_KEY or give apiKey.',
    ],
    ['an empty key', { apiKey: '' }, 'or a function that returns one. Set X_API_KEY or give apiKey.'],
    ['no settings at all', undefined, 'x: found nothing, expected an object with apiKey.'],
    [
      'a key read with its line end',
      { apiKey: 'secret-key\n' },
      'x.apiKey: found a string (not shown), expected a key',
    ],
    ['a key that is no text', { apiKey: 7 }, 'x.apiKey: found a number (not shown)'],
    ['a misspelt setting', { apiKey: 'k', baseURL: 'https://a.b' }, 'Did you mean "baseUrl"?'],
    [
      'an address that is no URL',
      { apiKey: 'k', baseUrl: 'api.example.com' },
      'x.baseUrl: found "api.example.com", expected an http(s) URL',
    ],
    ['another protocol', { apiKey: 'k', baseUrl: 'ftp://a.b' }, 'x.baseUrl'],
    ['a query', { apiKey: 'k', baseUrl: 'https://a.b/?' }, 'x.baseUrl'],
    ['a fragment', { apiKey: 'k', baseUrl: 'https://a.b/#' }, 'x.baseUrl'],
    ['an address that is no text', { apiKey: 'k', baseUrl: 7 }, 'x.baseUrl: found 7, expected an http(s) URL'],
    [
      'a header that authorizes',
      { apiKey: 'k', headers: { Authorization: 'Basic abc' } },
      'x.headers.Authorization: found a string (not shown), expected no header',
    ],
    ['a header that frames', { apiKey: 'k', headers: { 'content-length': '1' } }, 'x.headers["content-length"]'],
    ['no header name', { apiKey: 'k', headers: { 'a b': '1' } }, 'expected the name of an HTTP header'],
    ['a header with a line end', { apiKey: 'k', headers: { 'x-a': 'b\r\nc: d' } }, 'expected printable ASCII'],
    ['a header twice', { apiKey: 'k', headers: { 'x-a': '1', 'X-A': '2' } }, 'expected a name that is not given twice'],
    ['a header that is no text', { apiKey: 'k', headers: { 'x-a': 1 } }, 'x.headers["x-a"]: found 1, expected a text'],
    ['an unknown model', { apiKey: 'k', models: ['huge'] }, 'x.models[0]: found "huge", expected one of small, large.'],
    ['no models', { apiKey: 'k', models: [] }, 'expected at least one model name'],
    ['no list of policies', { apiKey: 'k', policies: 'zdr' }, 'x.policies: found "zdr", expected an array of policies'],
    [
      'a policy in capitals',
      { apiKey: 'k', policies: ['eu', 'ZDR'] },
      'x.policies[1]: found "ZDR", expected a lower-case',
    ],
    ['a policy with a line end', { apiKey: 'k', policies: ['zdr\n'] }, 'x.policies[0]: found "zdr\\n"'],
    ['a long policy', { apiKey: 'k', policies: ['z'.repeat(33)] }, 'x.policies[0]'],
    [
      'many policies',
      { apiKey: 'k', policies: 'a b c d e f g h i'.split(' ') },
      'x.policies: found an array of 9, expected at most 8',
    ],
  ])('refuse %s', (_what, settings, message) => {
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

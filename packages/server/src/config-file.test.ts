import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryApiKeys, memoryLedger } from '@searchgate/core';
import { memoryRequestLog } from '@searchgate/core/ledger';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { afterAll, describe, expect, it } from 'vitest';
import { buildGateway } from './build-gateway.js';
import { readConfigFile } from './config-file.js';

const folder = mkdtempSync(join(tmpdir(), 'searchgate-config-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function read(text: string) {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return readConfigFile(path);
}

function problemOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing is wrong';
}

const key = { secret: 'sg_a_key_of_the_config_tests', label: 'key', organizationId: 'acme', limit: '1.00' };
const perMinute = { requests: 60, periodMs: 60_000 };
const config = { organizations: [{ id: 'acme', credits: '5.00' }], apiKeys: [key] };
const budget = { organizationId: 'acme', id: 'team', limit: '5' };
const ofKey = (fields: object, budgets: readonly object[] = []) => ({
  ...config,
  budgets,
  apiKeys: [{ ...key, ...fields }],
});
const ofBudget = (fields: object) => ({ ...config, budgets: [{ ...budget, ...fields }] });
const ofOrganization = (organization: object) => ({ ...config, organizations: [organization] });

describe('readConfigFile', () => {
  it('reads a configuration with everything in it', () => {
    const full = {
      organizations: [{ id: 'acme', credits: '5.00', rateLimit: perMinute, maxConcurrent: 40 }],
      budgets: [
        { organizationId: 'acme', id: 'team:research', limit: '200.00', limitReset: 'monthly', mode: 'enforce' },
        { organizationId: 'acme', id: 'user:ada', limit: '0' },
      ],
      apiKeys: [
        {
          ...key,
          limitReset: 'monthly',
          allowedModels: ['local/docs'],
          budgets: ['team:research', 'user:ada'],
          rateLimit: null,
          maxConcurrent: 4,
          expiresAt: '2030-01-01T00:00:00Z',
          revoked: false,
        },
      ],
      endpoints: {
        openapi: 'key',
        chatCompletions: { usageCost: 'object', instructions: 'ignore', maxOutputTokens: 'ignore' },
        responses: { instructions: 'prepend', maxOutputTokens: 'refuse' },
        mcp: { defaultModel: 'docs' },
        search: false,
        extract: { defaultModel: 'local/extract' },
        rerank: { defaultModel: 'cohere/rerank-v4.0-pro', maxBodyBytes: 1_048_576, maxInputCharacters: 500_000 },
        embeddings: true,
      },
      aliases: { docs: 'local/docs' },
      fallbacks: { 'exa/answer': ['local/docs'] },
      groups: { auto: { models: ['local/docs', 'exa/answer'], sort: 'price' } },
      hedging: { 'exa/answer': { afterMs: 4_000, with: 'local/docs', maxExtraCost: '0.01' } },
      markup: '1.2',
      cache: { ttlMs: 600_000, price: '0.5' },
      coalescing: { sharedPrice: '0.5' },
      models: { 'local/docs': { price: '0.002' } },
      defaultLimits: { keys: { rateLimit: perMinute } },
      organizationLimits: { acme: { maxConcurrent: 9, keys: { rateLimit: null } } },
      providers: { exa: { rateLimit: { requests: 10, periodMs: 1_000 }, maxConcurrent: 5, maxQueueMs: 0 } },
      limits: { maxInFlight: 10 },
    };
    expect(read(JSON.stringify(full))).toEqual(full);
  });

  it('needs no organizations or keys', () => {
    expect(read('{ "markup": "1.2" }')).toEqual({ markup: '1.2' });
  });

  it.each<[string, unknown]>([
    ['organization: found an unknown option, expected one of organizations, ', { organization: [] }],
    ['Did you mean "allowedModels"?', ofKey({ allowedModel: [] })],
    ['endpoints.chatCompletion: found an unknown option', { endpoints: { chatCompletion: true } }],
    ['limits.maxInflight: found an unknown option', { limits: { maxInflight: 1 } }],
    [
      'organizations[0].rateLimit: found "60/1m", expected requests from 1 to 1,000,000 and periodMs from 1,000 to 86,400,000',
      ofOrganization({ id: 'acme', credits: '5', rateLimit: '60/1m' }),
    ],
    [
      'apiKeys[0].rateLimit.periodMs: found 86401000, expected at most 86400000.',
      ofKey({ rateLimit: { requests: 1, periodMs: 86_401_000 } }),
    ],
    [
      'apiKeys[0].maxConcurrent: found 0, expected a whole number from 1 to 1,000,000, or null',
      ofKey({ maxConcurrent: 0 }),
    ],
    [
      'endpoints.mcp: found "on", expected true, or an object such as { "defaultModel": "exa/answer" }.',
      { endpoints: { mcp: 'on' } },
    ],
    ['endpoints.search.maxBodyBytes: found an unknown option', { endpoints: { search: { maxBodyBytes: 1 } } }],
    ['endpoints.embeddings', { endpoints: { embeddings: { maxBodyBytes: '1 MB' } } }],
    ['defaultLimits: found 5, expected', { defaultLimits: 5 }],
    [
      'organizations[0].credits: found 5, expected a decimal string of US dollars such as "5.00"',
      ofOrganization({ id: 'acme', credits: 5 }),
    ],
    ['organizations[0].credits: found "-5"', ofOrganization({ id: 'acme', credits: '-5' })],
    ['apiKeys[0].limit: found "0.0000000001"', ofKey({ limit: '0.0000000001' })],
    ['apiKeys[0].limit: found nothing', ofKey({ limit: undefined })],
    ['apiKeys[0]: found an object, expected exactly one of secret and secretHash.', ofKey({ secret: undefined })],
    [
      'webhooks.logger: found an unknown option, expected one of endpoints, timeoutMs, flushTimeoutMs.',
      { webhooks: { endpoints: [], logger: {} } },
    ],
    ['apiKeys[0].organizationId: found "acne", expected one of acme', ofKey({ organizationId: 'acne' })],
    [
      'organizations[1].id: found "acme", expected a unique id',
      { ...config, organizations: [...config.organizations, ...config.organizations] },
    ],
    ['budgets[0].limit: found nothing, expected a decimal', ofBudget({ limit: undefined })],
    ['budgets[0].limit: found null', ofBudget({ limit: null })],
    ['budgets[0].limitReset: found "yearly", expected one of daily', ofBudget({ limitReset: 'yearly' })],
    ['budgets[0].mode: found "soft", expected "enforce" or "warn"', ofBudget({ mode: 'soft' })],
    ['budgets[0].id: found "two words"', ofBudget({ id: 'two words' })],
    ['Did you mean "limitReset"?', ofBudget({ limit_reset: 'daily' })],
    ['budgets[0].organizationId: found "acne", expected one of acme', ofBudget({ organizationId: 'acne' })],
    ['budgets[1].id: found "team", expected an id that is unique', { ...config, budgets: [budget, budget] }],
    ['apiKeys[0].budgets[1]: found "taem", expected one of team', ofKey({ budgets: ['team', 'taem'] }, [budget])],
    ['apiKeys[0].budgets[1]: found "team", expected each budget once', ofKey({ budgets: ['team', 'team'] }, [budget])],
    [
      'apiKeys[0].budgets[0]: found "team", expected the id of one of budgets of acme, where there is none',
      ofKey({ budgets: ['team'] }),
    ],
    ['expected at most 4 budgets', ofKey({ budgets: ['a', 'b', 'c', 'd', 'e'] })],
    ['organizations[0].id: found "a b"', ofOrganization({ id: 'a b', credits: '1' })],
    ['apiKeys[0].limitReset: found "yearly", expected one of daily, weekly, monthly', ofKey({ limitReset: 'yearly' })],
    ['Did you mean "limitReset"?', ofKey({ limit_reset: 'daily' })],
    ['SEARCHGATE_CONFIG: found an array of 0, expected a JSON object.', []],
    ['apiKeys[0]: found a string (not shown), expected an object.', { ...config, apiKeys: ['sg_a_key'] }],
  ])('refuses a file: %s', (message, value) => {
    expect(() => read(JSON.stringify(value))).toThrow(message);
  });

  it.each([
    ['rateLimit', { requests: 0, periodMs: 60_000 }],
    ['rateLimit', { requests: 1_000_001, periodMs: 60_000 }],
    ['rateLimit', { requests: 60, periodMs: 86_401_000 }],
    ['rateLimit', { requests: 1.5, periodMs: 60_000 }],
    ['rateLimit', '60/1m'],
    ['maxConcurrent', 1_000_001],
  ])('reports the %s %j as a registry of keys does', (field, value) => {
    const { secret, ...others } = key;
    const inRegistry = problemOf(() => memoryApiKeys([{ ...others, apiKey: secret, [field]: value }]));
    const inFile = problemOf(() => read(JSON.stringify(ofKey({ [field]: value }))));
    expect(inFile).toBe(inRegistry.replaceAll('memoryApiKeys[0]', 'apiKeys[0]'));
  });

  it.each('aliases fallbacks groups hedging models organizationLimits providers limits endpoints cache'.split(' '))(
    'refuses an entry of %s that no object can have',
    (field) => {
      expect(() => read(`{ "${field}": { "__proto__": { "models": ["local/docs"] } } }`)).toThrow(
        `${field}.__proto__: found the name "__proto__", expected another name`,
      );
    },
  );

  it('names the path of every such entry, but not its value', () => {
    const act = () => read('{ "__proto__": {}, "apiKeys": [{ "__proto__": "sg_my_secret" }] }');
    expect(act).toThrow('__proto__: found the name');
    expect(act).toThrow('apiKeys[0].__proto__: found the name');
    expect(act).not.toThrow('sg_my_secret');
  });

  it('accepts the other names of Object.prototype', () => {
    const aliases = { constructor: 'local/docs', toString: 'local/docs' };
    expect(read(JSON.stringify({ aliases }))).toEqual({ aliases });
  });

  it('reads the example file, and builds a gateway from it', async () => {
    const example = readConfigFile(fileURLToPath(new URL('../searchgate.example.json', import.meta.url)));
    const documents = [{ source: 'shop', url: 'https://example.org/shop.md', markdown: '# Shop' }];
    const gateway = await buildGateway(example, {
      providers: [localDocs({ documents })],
      ledger: memoryLedger(),
      apiKeys: memoryApiKeys(),
      requests: memoryRequestLog(),
    });
    expect(gateway.models({ category: 'answer' })).toMatchObject([
      { id: 'local/docs', pricing: { request: '0.0022' } },
    ]);
    await gateway.close();
  });

  it('reports a file that is not there', () => {
    expect(() => readConfigFile(join(folder, 'missing.json'))).toThrow(
      /SEARCHGATE_CONFIG: found ".*missing\.json" \(no such file\), expected the path of a JSON file/,
    );
  });
});

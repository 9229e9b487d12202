import { type Gateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { describe, expect, it } from 'vitest';
import { buildGateway } from './build-gateway.js';
import type { StandaloneConfig } from './config-file.js';

const documents = [
  { source: 'shop', url: 'https://example.org/shop.md', markdown: '# Shop\n\nThe shop opens at nine.' },
];
const secret = 'sg_a_key_of_the_gateway_tests';
const key = { secret, label: 'key', organizationId: 'acme', limit: '1.00' };

function build(change: Partial<StandaloneConfig> = {}): Gateway {
  const config = { organizations: [{ id: 'acme', credits: '5.00' }], apiKeys: [key], ...change };
  return buildGateway(config, {
    providers: [localDocs({ documents })],
    ledger: memoryLedger({ credits: { acme: '5' } }),
    apiKeys: memoryApiKeys([{ apiKey: secret, label: 'key', organizationId: 'acme', limit: '1.00' }]),
  });
}

describe('buildGateway', () => {
  it('hands every part of the configuration to the gateway', async () => {
    const gateway = build({
      aliases: { shop: 'local/docs' },
      markup: '2',
      models: { 'local/docs': { price: '0.003' } },
      limits: { maxQueryCharacters: 30 },
    });
    const answer = await gateway.answer({ apiKey: secret, model: 'shop', query: 'When does the shop open?' });
    expect(answer).toMatchObject({ model: 'local/docs', usage: { cost: 0.006 } });
    const tooLong = gateway.answer({ apiKey: secret, model: 'shop', query: 'When does the shop open in the morning?' });
    await expect(tooLong).rejects.toMatchObject({ reason: 'invalid_field' });
    await gateway.close();
  });

  it('lets callers ask for a group', async () => {
    const gateway = build({ groups: { auto: { models: ['local/docs'], sort: 'latency' } } });
    const answer = await gateway.answer({ apiKey: secret, model: 'auto', query: 'When does the shop open?' });
    expect(answer).toMatchObject({ model: 'local/docs' });
    await gateway.close();
  });

  it.each<[string, Partial<StandaloneConfig>, string]>([
    ['a limit out of range', { limits: { maxInFlight: 0 } }, 'limits.maxInFlight: found 0, expected'],
    ['an invalid markup', { markup: 'double' }, 'markup: found "double"'],
    ['a factor out of range', { implausibleCostFactor: 0 }, 'implausibleCostFactor: found 0, expected'],
    ['an alias of no model', { aliases: { fast: 'local/dogs' } }, 'local/dogs'],
    [
      'a group of no model',
      { groups: { auto: { models: ['local/dogs'] } } },
      'groups["auto"].models[0]: found "local/dogs"',
    ],
    [
      'a group in an unknown order',
      { groups: { auto: { models: ['local/docs'], sort: 'best' as never } } },
      'groups.auto.sort: found "best", expected "listed", "price" or "latency"',
    ],
    ['a fallback to no model', { fallbacks: { 'local/docs': ['exa/answer'] } }, 'exa/answer'],
    [
      'an allow-list with a mistyped slug',
      { apiKeys: [{ ...key, allowedModels: ['local/dogs'] }] },
      'apiKeys[0].allowedModels[0]: found "local/dogs", expected a model that can be called: local/docs.',
    ],
  ])('refuses %s', (_, change, message) => {
    expect(() => build(change)).toThrow(message);
    expect(() => build(change)).not.toThrow(secret);
  });
});

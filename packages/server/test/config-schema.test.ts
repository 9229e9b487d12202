import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { configJsonSchema, parseConfig } from '../src/config-file.js';

const example = JSON.parse(readFileSync(new URL('../searchgate.example.json', import.meta.url), 'utf8')) as object;
const accepts = new Ajv2020({ strict: false }).compile(configJsonSchema());
const $schema = './node_modules/@searchgate/server/dist/config.schema.json';
const key = { secret: 's', label: 'a', organizationId: 'acme', limit: null };

describe('the JSON Schema of the file', () => {
  it('accepts what the server accepts, with a reference to itself', () => {
    for (const content of [example, { $schema, ...example }, {}]) {
      expect(parseConfig(content, {})).toEqual(content);
      expect([accepts(content), accepts.errors]).toEqual([true, null]);
    }
  });

  it.each<object>([
    { marcup: '1.2' },
    { markup: 1.2 },
    { overrun: 'ignore' },
    { organizations: [{ id: 'acme', credits: 5 }] },
    { apiKeys: [{ ...key, limit: 5 }] },
    { apiKeys: [{ ...key, limitReset: 'hourly' }] },
    { apiKeys: [{ ...key, budgets: 'team' }] },
    { budgets: [{ organizationId: 'acme', id: 'team', limit: null }] },
    { limits: { maxInFlite: 5 } },
    { endpoints: { chatCompletions: 'yes' } },
    { endpoints: { tavily: true } },
    { endpoints: { searxng: {} } },
    { endpoints: { chatCompletions: { usageCost: 'euro' } } },
    { endpoints: { chatCompletions: { maxOutputTokens: 'prepend' } } },
    { endpoints: { responses: { instructions: 'drop' } } },
    { groups: [] },
    { webhooks: { endpoints: {} } },
    { providers: { exa: { apiKeyFile: 5 } } },
    { trustProxy: 33 },
    { requestLog: true },
  ])('refuses %j, as the server does', (content) => {
    expect(() => parseConfig(content, {})).toThrow('expected');
    expect(accepts(content)).toBe(false);
  });
});

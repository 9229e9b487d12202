import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfigFile } from './config-file.js';
import type { Environment } from './environment.js';

const folder = mkdtempSync(join(tmpdir(), 'searchgate-json-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string, environment: Environment = {}): unknown {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return readConfigFile(path, environment);
}

describe('the text of a configuration', () => {
  it('reports where the text stops being JSON, without quoting it', () => {
    const text = '{\n  "apiKeys": [{ "secret": "sg_my_secret" "label": "key" }]\n}';
    expect(() => read(text)).toThrow(
      'SEARCHGATE_CONFIG: found no JSON from line 2, column 42 on, expected a JSON object.',
    );
    expect(() => read(text)).not.toThrow('sg_my_secret');
  });

  it.each([
    ['', 'line 1, column 1'],
    ['x', 'line 1, column 1'],
    ['{\n  "apiKeys":\n', 'line 3, column 1'],
    ['{\n  "apiKeys": }', 'line 2, column 14'],
    ['{\n  "apiKeys": [nul1] }', 'line 2, column 18'],
    ['{\n  "apiKeys": [],\n}', 'line 3, column 1'],
    ['{ "apiKeys": [] },', 'line 1, column 18'],
  ])('reports where %j stops being JSON', (text, place) => {
    expect(() => read(text)).toThrow(`found no JSON from ${place} on`);
  });

  it('reads a text after a byte order mark', () => {
    expect(() => read('\ufeff{ "nope": 1 }')).toThrow('nope: found an unknown option');
  });

  it('refuses deeply nested values', () => {
    const text = `{ "apiKeys": ${'['.repeat(30_000)}${']'.repeat(30_000)} }`;
    expect(() => read(text)).toThrow('SEARCHGATE_CONFIG: found deeply nested values, expected at most 100 levels.');
  });
});

describe('a variable in a text of the configuration', () => {
  const environment = { SHOP_KEY: 'a-long-random-secret-of-the-shop', WHO: '$& ${SHOP_KEY}', EMPTY: '' };
  const keyWith = (fields: object) =>
    JSON.stringify({
      organizations: [{ id: 'acme', credits: '5.00' }],
      apiKeys: [{ label: 'Shop', organizationId: 'acme', limit: null, ...fields }],
    });
  const keyOf = (fields: object) => (read(keyWith(fields), environment) as { apiKeys: unknown[] }).apiKeys[0];

  it('is replaced by its exact value', () => {
    expect(keyOf({ secret: '${SHOP_KEY}', label: 'of ${WHO}: ${SHOP_KEY}' })).toMatchObject({
      secret: 'a-long-random-secret-of-the-shop',
      label: 'of $& ${SHOP_KEY}: a-long-random-secret-of-the-shop',
    });
  });

  it('is not replaced after a second dollar sign', () => {
    const label = '$${SHOP_KEY} $$${ $5 $ {} $';
    expect(keyOf({ secret: '${SHOP_KEY}', label })).toMatchObject({ label: '${SHOP_KEY} $${ $5 $ {} $' });
  });

  it('is replaced everywhere in the file', () => {
    const models = { 'exa/answer': { price: '${PRICE}' } };
    const groups = { auto: { models: ['${MODEL}', 'you/answer'] } };
    const given = JSON.stringify({ models, groups, aliases: { web: '${MODEL}' } });
    expect(read(given, { PRICE: '0.01', MODEL: 'exa/answer' })).toEqual({
      models: { 'exa/answer': { price: '0.01' } },
      groups: { auto: { models: ['exa/answer', 'you/answer'] } },
      aliases: { web: 'exa/answer' },
    });
  });

  it.each<[object, string]>([
    [
      { secret: '${OTHER_KEY}' },
      'apiKeys[0].secret: found a string (not shown), expected the environment variable OTHER_KEY',
    ],
    [{ secret: '${EMPTY}' }, 'expected the environment variable EMPTY to be set.'],
    [{ secret: '${toString}' }, 'expected the environment variable toString to be set.'],
    [{ label: '${shop key}' }, 'apiKeys[0].label: found "${shop key}", expected a variable such as ${NAME}, or $${'],
    [{ label: 'a ${' }, 'expected a variable such as ${NAME}, or $${ for the characters themselves.'],
    [{ label: '${}' }, 'expected a variable such as ${NAME}'],
    [
      { '${NAME}': 1 },
      'apiKeys[0]["${NAME}"]: found the name "${NAME}", expected another name: variables stand in values',
    ],
  ])('is refused if malformed or unset: %j', (fields, message) => {
    expect(() => keyOf(fields)).toThrow(message);
  });

  it('is reported with all other unset variables', () => {
    const reading = () => keyOf({ secret: '${ONE}', label: '${TWO}' });
    expect(reading).toThrow('variable ONE to be set');
    expect(reading).toThrow('variable TWO to be set');
  });
});

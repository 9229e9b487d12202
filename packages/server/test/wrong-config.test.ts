import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, type Gateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { memoryRequestLog } from '@searchgate/core/ledger';
import { afterAll, describe, expect, it } from 'vitest';
import { buildGateway } from '../src/build-gateway.js';
import { readConfigFile } from '../src/config-file.js';
import { configuredKeys } from '../src/configured-keys.js';
import { createProviders } from '../src/create-providers.js';

const folder = mkdtempSync(join(tmpdir(), 'searchgate-wrong-config-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const perMinute = { requests: 60, periodMs: 60_000 };
const callerLimits = { rateLimit: perMinute, maxConcurrent: 4 };
/** Uses every field of routes, prices and limits. */
const FULL = {
  organizations: [{ id: 'acme', credits: '5.00', ...callerLimits }],
  budgets: [{ organizationId: 'acme', id: 'team', limit: '5.00', limitReset: 'monthly', mode: 'warn' }],
  apiKeys: [
    {
      secret: 'sg_a_key_of_the_wrong_config_tests',
      label: 'key',
      organizationId: 'acme',
      limit: '1.00',
      limitReset: 'daily',
      allowedModels: ['exa/answer', 'fast'],
      budgets: ['team'],
      ...callerLimits,
      expiresAt: '2030-01-01T00:00:00Z',
      revoked: false,
    },
  ],
  endpoints: { openapi: 'key', chatCompletions: true, usage: true },
  aliases: { fast: 'you/answer' },
  fallbacks: { 'exa/answer': ['you/answer'] },
  groups: { auto: { models: ['exa/answer', 'you/answer'], sort: 'price', fallbackOn: ['error'] } },
  fallbackOn: ['error', 'empty'],
  hedging: { maxShare: 0.1, 'exa/answer': { afterMs: 4_000, with: 'you/answer', maxExtraCost: '0.01' } },
  markup: '1.2',
  overrun: 'absorb',
  cache: { ttlMs: 1_000, price: '0.5', maxEntries: 9, maxBytes: 65_536, storeTimeoutMs: 9 },
  coalescing: { sharedPrice: '0.5' },
  models: {
    'exa/answer': { price: '0.002', timeoutMs: 1_000 },
    'you/answer': { price: { typical: '0.001', ceiling: '0.002', perSearch: '0.001' } },
  },
  defaultLimits: { keys: callerLimits, organizations: callerLimits },
  organizationLimits: { acme: { ...callerLimits, keys: callerLimits } },
  organizationMarkups: { acme: '1.1' },
  providers: {
    exa: { rateLimit: { requests: 10, periodMs: 1_000 }, maxConcurrent: 5, maxQueueMs: 0 },
    you: { apiKey: 'a-key', baseUrl: 'https://you.example' },
  },
  limits: { maxInFlight: 10, maxInFlightPerKey: 5, authFailureLimit: 5, maxAttempts: 3, holdGraceMs: 9 },
  adminOrganization: 'acme',
  managementTokens: [
    {
      name: 'ci',
      tokenHash: 'a'.repeat(64),
      role: 'reader',
      organizations: ['acme'],
      expiresAt: '2030-01-01T00:00:00Z',
    },
  ],
  operators: [
    {
      name: 'ada',
      passwordHash: `scrypt:${'a'.repeat(22)}:${'b'.repeat(43)}`,
      role: 'reader',
      organizations: ['acme'],
    },
  ],
  drainDelayMs: 1_000,
  requestLog: {
    keepDays: 5,
    maxRows: 5_000,
    capture: { organizations: ['acme'], maxCharacters: 9, keepDays: 2 },
  },
  trustProxy: ['10.0.0.0/8', '192.0.2.7'],
  alerts: { thresholds: ['0.8'], creditsLow: '1.00' },
};

type Place = readonly (string | number)[];

function* placesIn(value: unknown, above: Place = []): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) {
    const place = [...above, Array.isArray(value) ? Number(name) : name];
    yield place;
    yield* placesIn((value as Record<string, unknown>)[name], place);
  }
}

function written(place: Place): string {
  return place.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    if (!/^\w+$/.test(part)) return `${text}["${part}"]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

/** The same configuration with one value replaced. */
function changed(value: unknown, [name, ...below]: Place, other: unknown): unknown {
  if (name === undefined) return other;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[name] = changed(copy[name], below, other);
  return copy;
}

async function build(given: unknown): Promise<Gateway> {
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify(given));
  const config = readConfigFile(path);
  await configuredKeys(config);
  const environment = { EXA_API_KEY: 'a-key-of-an-account', YOU_API_KEY: 'a-key-of-an-account' };
  const providers = createProviders(environment, config, []);
  const parts = { ledger: memoryLedger(), apiKeys: memoryApiKeys([]), requests: memoryRequestLog() };
  return buildGateway(config, { providers, ...parts });
}

async function problemsOf(given: unknown): Promise<string> {
  try {
    await (await build(given)).close();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.replace(/\nSee https:.*$/, '');
  }
}

const WRONG = [-1.5, { strange: 1 }, [[]], 1e300, '999999999999999999'];
/** Fields whose value is free text or checked elsewhere. */
const FREE = new Set([
  'apiKeys[0].label',
  'providers.you.apiKey',
  'adminOrganization',
  'requestLog.capture.organizations[0]',
  'managementTokens[0].name',
  'managementTokens[0].organizations[0]',
  'operators[0].name',
  'operators[0].organizations[0]',
]);

/** By the place of an id, where it is named. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'organizations[0].id': 'apiKeys[0].organizationId',
  'budgets[0].id': 'apiKeys[0].budgets[0]',
};

describe('a configuration file', () => {
  it('is accepted without mistakes', async () => {
    await expect(problemsOf(FULL)).resolves.toBe('accepted');
  });

  it.each([...placesIn(FULL)].map((place) => ({ place, where: written(place) })))(
    'that is invalid at $where is refused with that path, in the server’s own words',
    async ({ place, where }) => {
      for (const wrong of WRONG) {
        if (FREE.has(where) && typeof wrong === 'string') continue;
        const message = await problemsOf(changed(FULL, place, wrong));
        // The key refers to the old id, so the error names the key.
        const named = NAMED_BY[where] ?? where;
        expect(message.replaceAll(/\["(\w+)"\]/g, '.$1')).toMatch(new RegExp(`${escaped(where)}|${escaped(named)}`));
        const [first = ''] = message.split('\n');
        expect(first).not.toMatch(
          /Invalid|Too (?:big|small)|another value|found an object, expected an object|expected no such option|one of \./,
        );
      }
    },
  );

  it.each([
    [
      { fallbacks: { exa: ['you/answer'] } },
      'fallbacks["exa"]: found "exa", expected the slug of a callable model of a configured provider. Did you mean "exa/answer"?',
    ],
    [{ aliases: { '': 'you/answer' } }, 'aliases[""]: found the name "", expected a name of 1 to 256 characters.'],
    [{ groups: { '': FULL.groups.auto } }, 'groups[""]: found the name "", expected a name of 1 to 256 characters.'],
    [
      { organizations: [], budgets: [], apiKeys: FULL.apiKeys.map((key) => ({ ...key, budgets: [] })) },
      'apiKeys[0].organizationId: found "acme", expected the id of one of organizations, where there is none.',
    ],
  ])('is refused for an impossible name: %j', async (change, message) => {
    await expect(problemsOf({ ...FULL, ...change })).resolves.toBe(message);
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

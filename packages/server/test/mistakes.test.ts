import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { runProgram } from '../src/bin/run-program.js';
import { adminShell } from './kit/admin-shell.js';
import { spawnServer } from './kit/spawn-server.js';
import { SLOW_MS } from './kit/standalone-suite.js';

const folder = mkdtempSync(join(tmpdir(), 'searchgate-mistakes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const secret = (name: string) => `a-secret-of-the-key-${name}`;
const key = (name: string, more: object = {}) => ({
  secret: secret(name),
  label: name,
  organizationId: 'acme',
  limit: '1.00',
  ...more,
});
const hook = {
  url: 'https://example.org/hook',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  events: ['budget_threshold'],
};

/** What is wrong in the file, by place. A mistake hides those that later checks find. */
const IN_FILE: Readonly<Record<string, string>> = {
  'organizations[0].credits': 'found "-5", expected a decimal string',
  'organizations[2].id': 'found "acme", expected a unique id',
  'budgets[0].limit': 'found 5, expected a decimal string',
  'budgets[1].organizationId': 'found "acne", expected one of acme',
  'apiKeys[0].limit': 'found 5, expected a decimal string',
  'apiKeys[1].organizationId': 'found "acne", expected one of acme',
  'apiKeys[2].expiresAt': 'found "2030-02-31", expected an ISO date-time',
  'apiKeys[3].expiresAt': 'found 2025-01-01T00:00:00.000Z, expected a time to come',
  'apiKeys[4].allowedModels[1]': 'found "exa/anser"',
  'apiKeys[4].budgets[1]': 'found "taem"',
  'apiKeys[5].secret': 'found a string (not shown), expected at least 20',
  'apiKeys[6].secret': 'the environment variable KEY_OF_SIX to be set',
  'aliases["fast"]': 'found "exa/quick"',
  'fallbacks["exa/answer"][0]': 'Did you mean "exa/answer"',
  'fallbacks["exa/answer"][2]': 'found "you/anser"',
  'groups.auto.sort': 'found "speed"',
  'hedging["exa/answer"].afterMs': 'found -1',
  'models["exa/answer"].price': 'found "free"',
  'models["exa/anser"]': 'found',
  'endpoints.exa.search': 'found "exa/answer", expected a callable model of category search with the feature content',
  'endpoints.searxng.search': 'found "local/docs"',
  'endpoints.searxng.keyInPath': 'found "yes"',
  'endpoints.mcp.search': 'found "exa/atuo"',
  markup: 'found "0"',
  marcup: 'Did you mean "markup"?',
  'cache.ttlMs': 'found "10m"',
  'limits.maxInFlight': 'found 0',
  'limits.maxAttempts': 'found 11',
  'providers.exa.maxConcurrent': 'found 0',
  'providers.tavily.apiKeys[1].maxConcurrent': 'found -1',
  'providers.tavily.apiKeys[1].key': 'found a string (not shown), expected no key twice',
  'providers.brave': 'found a provider that is not enabled',
  'alerts.thresholds[1]': 'found',
  'webhooks.endpoints[1].url': 'found "example.org"',
  port: 'expected nothing: PORT in the environment sets it',
};
const CONFIG = {
  organizations: [
    { id: 'acme', credits: '-5' },
    { id: 'globex', credits: '1.00' },
    { id: 'acme', credits: '2.00' },
  ],
  budgets: [
    { organizationId: 'acme', id: 'team', limit: 5 },
    { organizationId: 'acne', id: 'user:ada', limit: '5' },
  ],
  apiKeys: [
    key('0', { limit: 5 }),
    key('1', { organizationId: 'acne' }),
    key('2', { expiresAt: '2030-02-31' }),
    key('3', { expiresAt: '2025-01-01T00:00:00Z' }),
    key('4', { allowedModels: ['exa/answer', 'exa/anser', 'fast'], budgets: ['team', 'taem'] }),
    key('5', { secret: 'short' }),
    key('6', { secret: '${KEY_OF_SIX}' }),
  ],
  aliases: { fast: 'exa/quick' },
  fallbacks: { 'exa/answer': ['exaanswer', 'local/docs', 'you/anser'] },
  groups: { auto: { models: ['exa/answer', 'local/docs'], sort: 'speed' } },
  hedging: { 'exa/answer': { afterMs: -1, with: 'local/docs', maxExtraCost: '0.01' } },
  models: { 'exa/answer': { price: 'free' }, 'exa/anser': { hidden: true } },
  endpoints: {
    exa: { search: 'exa/answer' },
    searxng: { search: 'local/docs', keyInPath: 'yes' },
    mcp: { search: 'exa/atuo' },
  },
  markup: '0',
  marcup: '1.2',
  cache: { ttlMs: '10m' },
  limits: { maxInFlight: 0, maxAttempts: 11 },
  providers: {
    exa: { maxConcurrent: 0 },
    brave: { maxConcurrent: 5 },
    tavily: { apiKeys: [{ key: 'tavily-1' }, { key: 'tavily-1', maxConcurrent: -1 }] },
  },
  alerts: { thresholds: ['0.8', 'often'] },
  webhooks: { endpoints: [hook, { ...hook, url: 'example.org' }] },
  port: 3_000,
};

const IN_ENVIRONMENT: Readonly<Record<string, string>> = {
  METRICS_PORT: 'found "70000"',
  ADMIN_PASSWORD_HASH: 'found a malformed value (not shown)',
  EXA_API_KEY: 'found a string (not shown)',
  LINKUP_API_KEYS: 'found a string (not shown)',
  YOU_BASE_URL: 'found "you.example"',
  SEARCHGATE_DOCS_BASE_URL: 'SEARCHGATE_DOCS_DIR to be set as well',
  SEARCHGATE_LEDGER: 'found mysql:…',
  SEARCHGATE_LOG_LEVEL: 'found "loud"',
  SEARCHGATE_TRUST_PROXY: 'found "ten"',
  SEARCHGATE_LOG_LEVLE: 'Did you mean "SEARCHGATE_LOG_LEVEL"?',
};
const ENVIRONMENT = {
  LINKUP_API_KEYS: 'linkup-1, linkup-2',
  METRICS_PORT: '70000',
  ADMIN_PASSWORD_HASH: 'hunter2',
  EXA_API_KEY: 'a key\nof two lines',
  YOU_API_KEY: 'a-key-of-an-account',
  YOU_BASE_URL: 'you.example',
  SEARCHGATE_DOCS_BASE_URL: 'https://example.org/',
  SEARCHGATE_LEDGER: 'mysql://root:hunter2@db',
  SEARCHGATE_LOG_LEVEL: 'loud',
  SEARCHGATE_TRUST_PROXY: 'ten',
  SEARCHGATE_LOG_LEVLE: 'info',
};

/** Place and rest of each line that names a mistake. */
function placesIn(text: string): Record<string, string> {
  const lines = [...text.matchAll(/^ *(\S+): (found .*|.*Did you mean.*)$/gm)];
  return Object.fromEntries(lines.map(([, place = '', rest = '']) => [place, rest]));
}

function expectEach(found: Readonly<Record<string, string>>, planted: Readonly<Record<string, string>>): void {
  expect(Object.keys(found).sort()).toEqual(Object.keys(planted).sort());
  for (const [place, message] of Object.entries(planted)) expect(`${place}: ${found[place]}`).toContain(message);
}

function writeConfig(content: object): string {
  const file = join(folder, 'searchgate.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('one run of the checker', () => {
  it('names every mistake of file, environment and command line, each at its place', async () => {
    let stderr = '';
    const code = await runProgram(['check', '--config', writeConfig(CONFIG), '--prot=1', 'now'], ENVIRONMENT, {
      stdin: Readable.from(['']),
      stdout: { write: () => undefined },
      stderr: { write: (text) => (stderr += text) },
    });
    expect(code).toBe(2);
    expectEach(placesIn(stderr), { ...IN_FILE, ...IN_ENVIRONMENT });
    expect(stderr).toContain('searchgate: check: there is no option --prot\n');
    expect(stderr).toContain('searchgate: check: there is no argument "now"\n');
    expect(stderr).not.toMatch(/hunter2|of two lines/);
  });

  it('names at a start what the checker names', { timeout: SLOW_MS }, async () => {
    const { port: _port, ...config } = CONFIG;
    const { port: _mistake, ...planted } = IN_FILE;
    const server = await spawnServer(new URL('../src/bin/searchgate.ts', import.meta.url), {
      ...ENVIRONMENT,
      SEARCHGATE_CONFIG: writeConfig(config),
    });
    expect(await server.exited).toBe(1);
    expectEach(placesIn(server.stderr()), { ...planted, ...IN_ENVIRONMENT });
  });
});

describe('one command', () => {
  it('names every wrong value of its options, in one run', async () => {
    const options = ['--limit', '5,00', '--reset', 'hourly', '--rate', '60', '--concurrency', '0'];
    const argv = ['keys', 'create', '--org', 'a b', '--label', 'ci', ...options, '--expires', '2025-01-01'];
    const { code, stderr } = await adminShell(`sqlite:${join(folder, 'money.db')}`)(...argv);
    expect(code).toBe(2);
    for (const flag of ['--org', '--limit', '--reset', '--rate', '--concurrency', '--expires'])
      expect(stderr).toMatch(new RegExp(`^error: option '${flag} <\\w+>' argument '.+' is invalid\\. Expected `, 'm'));
    expect(stderr.trimEnd().split('\n')).toHaveLength(6);
  });

  it('refuses a model that nobody offers, and a date past', async () => {
    const admin = adminShell(`sqlite:${join(folder, 'known.db')}`);
    await admin('ledger', 'migrate');
    const make = (...options: string[]) =>
      admin('keys', 'create', '--org', 'acme', '--create', '--label', 'ci', '--limit', '1', ...options);
    const { code, stderr } = await make('--models', 'exa/answer,exa/anser');
    expect([code, stderr]).toEqual([1, expect.stringContaining('allowedModels: found "exa/anser", expected the slug')]);
    expect((await make('--models', 'exa/answer,local/docs')).code).toBe(0);
    expect((await make('--expires', '2025-01-01')).code).toBe(2);
  });
});

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { runProgram } from '../src/bin/run-program.js';
import { redactorOf } from '../src/redactor.js';

const folder = mkdtempSync(join(tmpdir(), 'searchgate-planted-'));
afterAll(() => rmSync(folder, { recursive: true }));

const planted: string[] = [];
/** A random secret, different in each run. */
function secret(bytes = 15, encoding: 'hex' | 'base64' = 'hex'): string {
  const made = randomBytes(bytes).toString(encoding);
  planted.push(made);
  return made;
}
const hash = () => secret(32);
const ofWebhook = () => `whsec_${secret(24, 'base64')}`;

const key = { organizationId: 'acme', limit: '1.00' };
const CONFIG = {
  organizations: [{ id: 'acme', credits: '5.00' }],
  apiKeys: [
    { ...key, secret: secret(), label: 'literal' },
    { ...key, secret: '${KEY_OF_TWO}', label: 'x${LABEL}' },
    { ...key, secretHash: hash(), label: 'hashed' },
  ],
  aliases: { fast: 'exa/answer' },
  markup: '1.2',
  providers: {
    exa: {
      apiKey: secret(),
      headers: { 'x-team': secret(), 'x-other': 'plain' },
      baseUrl: `https://exa.example/${secret()}`,
    },
    you: { apiKey: '${YOU}', baseUrl: `https://you.example/v1` },
    tavily: {
      apiKeys: [
        { key: secret(), name: 'main' },
        { key: '${TAVILY_TWO}', maxConcurrent: 2 },
      ],
      pick: 'first',
    },
  },
  byok: { fee: { share: '0.05' }, sharedKeys: true },
  operators: [
    {
      name: 'ada',
      passwordHash: `scrypt:${'a'.repeat(22)}:${secret()}${'b'.repeat(13)}`,
      role: 'viewer',
      organizations: ['acme'],
    },
  ],
  managementTokens: [{ name: 'ci', tokenHash: hash(), role: 'viewer', organizations: ['acme'] }],
  webhooks: {
    endpoints: [
      { url: `https://hooks.example/services/${secret()}`, secret: ofWebhook(), events: ['credits_low'] },
      { url: `https://hooks.example/?key=${secret()}#${secret()}`, secret: ofWebhook(), events: ['credits_low'] },
    ],
  },
};
const ENVIRONMENT = {
  KEY_OF_TWO: secret(),
  LABEL: secret(),
  YOU: secret(),
  TAVILY_TWO: secret(),
  LINKUP_API_KEYS: `${secret()},${secret()}`,
  BRAVE_API_KEY: secret(),
  BRAVE_BASE_URL: `https://brave.example/${secret()}`,
  SEARCHGATE_LEDGER: `postgres://money:${secret()}@db.example/money?password=${secret()}`,
  SEARCHGATE_TENANT_KEYS_SECRET: `${secret(32, 'base64')},${secret(32, 'base64')}`,
  ADMIN_PASSWORD_HASH: `sha256:${'a'.repeat(22)}:${secret()}${'b'.repeat(13)}`,
};

type Place = readonly string[];

function* placesIn(value: unknown, above: Place = []): Generator<Place> {
  if (above.length > 0) yield above;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) yield* placesIn(child, [...above, name]);
}

const at = (value: unknown, place: Place) =>
  place.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value);

/** The same with another value at a place. */
function changed<T>(value: T, place: Place, other: unknown): T {
  const copy = structuredClone(value);
  (at(copy, place.slice(0, -1)) as Record<string, unknown>)[place.at(-1) ?? ''] = other;
  return copy;
}

/** Wrong values that hold the right one. */
const BREAKS: readonly ((value: unknown) => unknown)[] = [
  (value) => (typeof value === 'string' ? `${value}\n` : [value]),
  (value) => (typeof value === 'string' ? ` ${value.slice(0, 9)}\r\n${value.slice(9)}"` : { value }),
  (value) => (typeof value === 'string' ? value.replace('https://', 'ftp://').replace('postgres://', 'mysql://') : 7),
  (value) => (typeof value === 'string' ? value.replace('https://', '') : null),
  (value) => (typeof value === 'string' ? `${value}@host:port/${value}`.repeat(3) : value),
  (value) => [value, { value }],
  () => -1.5,
];

/** What `searchgate check` prints. */
async function checked(config: object, environment: Record<string, string>): Promise<string> {
  const file = join(folder, 'searchgate.json');
  writeFileSync(file, JSON.stringify(config));
  let printed = '';
  const print = { write: (text: string) => (printed += text) };
  const terminal = { stdin: Readable.from(['']), stdout: print, stderr: print };
  await runProgram(['check', '--config', file], environment, terminal);
  return printed;
}

/** The planted secrets of which a text shows nine characters in a row. */
function shownIn(text: string): string[] {
  const parts = (made: string) => Array.from({ length: made.length - 8 }, (_, from) => made.slice(from, from + 9));
  return planted.filter((made) => parts(made).some((part) => text.includes(part)));
}

describe('no planted secret is printed', { timeout: 120_000 }, () => {
  it('of a configuration in which nothing is wrong', async () => {
    const printed = await checked(CONFIG, ENVIRONMENT);
    expect(printed).toContain('Nothing is wrong.');
    expect(shownIn(printed)).toEqual([]);
  });

  it.each([...placesIn(CONFIG)].map((place) => ({ place, where: place.join('.') })))(
    'of a file that is wrong at $where',
    async ({ place }) => {
      const value = at(CONFIG, place);
      const isSecret = shownIn(JSON.stringify(value)).length > 0;
      for (const wrong of isSecret ? BREAKS : BREAKS.slice(-2))
        expect(shownIn(await checked(changed(CONFIG, place, wrong(value)), ENVIRONMENT))).toEqual([]);
    },
  );

  it.each(Object.keys(ENVIRONMENT))('of an environment that is wrong in %s', async (name) => {
    const texts = BREAKS.map((wrong) => wrong(at(ENVIRONMENT, [name]))).filter((text) => typeof text === 'string');
    for (const wrong of ['', ...texts]) {
      const environment = changed(ENVIRONMENT, [name], wrong);
      expect(shownIn(await checked(CONFIG, environment))).toEqual([]);
    }
  });

  it('of an error of a driver, of the value of a variable in the file, and of a file that is gone', async () => {
    await checked(CONFIG, ENVIRONMENT);
    const { SEARCHGATE_LEDGER, BRAVE_API_KEY, LABEL } = ENVIRONMENT;
    for (const [file, value] of [
      ['searchgate.json', { LABEL }],
      ['missing.json', { BRAVE_API_KEY }],
    ] as const) {
      const redact = redactorOf({ ...ENVIRONMENT, SEARCHGATE_CONFIG: join(folder, file) });
      expect(shownIn(redact(`connect ${SEARCHGATE_LEDGER}: ${JSON.stringify(value)}`))).toEqual([]);
    }
  });
});

import { expect, it } from 'vitest';
import { createAdministration } from '../src/admin/index.js';
import { createGateway, isConfigurationError, memoryApiKeys, memoryLedger } from '../src/index.js';
import * as providers from '../src/providers/index.js';
import { propertiesOf } from './source-types.js';

const ledger = memoryLedger();
const apiKeys = memoryApiKeys();
const exa = providers.exa({ apiKey: 'a-key' });
const KEY = { apiKey: 'a-secret-of-twenty-characters', label: 'ci', organizationId: 'acme' };
const COMMON = propertiesOf('provider-kit/provider.ts', 'ProviderSettings');
const LIMITS = propertiesOf('provider-kit/provider.ts', 'ProviderLimits');

/** A function with options: its name in errors, its options, and valid values. */
type Row = readonly [root: string, names: readonly string[], build: (options: object) => unknown, right?: object];

const TABLE: readonly Row[] = [
  [
    '',
    [
      ...propertiesOf('gateway-options.ts', 'GatewayOptions'),
      ...propertiesOf('auth/auth-failure-options.ts', 'AuthFailureOptions'),
    ],
    (options) => createGateway(options as never),
    { providers: [exa], ledger, apiKeys },
  ],
  [
    'createAdministration.',
    propertiesOf('admin/create-administration.ts', 'AdministrationOptions'),
    (options) => createAdministration(options as never),
    { ledger, apiKeys },
  ],
  ['memoryLedger.', propertiesOf('ledger/memory-ledger.ts', 'MemoryLedgerOptions'), (options) => memoryLedger(options)],
  [
    'memoryApiKeys[0].',
    propertiesOf('auth/memory-api-keys.ts', 'MemoryApiKey').filter((name) => name !== 'secretHash'),
    (options) => memoryApiKeys([options as never]),
    KEY,
  ],
  ...(
    [
      ['alerts', 'admin/alert-options.ts', 'AlertOptions', { creditsLow: '10.00', thresholds: ['1'] }],
      ['cache', 'call/cache-options.ts', 'CacheOptions', { ttlMs: 1_000 }],
      ['coalescing', 'call/coalescing-options.ts', 'CoalescingOptions', {}],
      ['endpoints', 'http/endpoint-options.ts', 'EndpointOptions', {}],
      ["models['exa/answer']", 'catalog/model-overrides.ts', 'ModelOverride', {}],
    ] as const
  ).map(
    ([option, path, type, right]): Row => [
      `${option.replaceAll("'", '"')}.`,
      propertiesOf(path, type),
      (options) =>
        createGateway({
          providers: [exa],
          ledger,
          apiKeys,
          ...(option.startsWith('models') ? { models: { 'exa/answer': options } } : { [option]: options }),
        }),
      right,
    ],
  ),
  ...Object.entries(providers).map(
    ([id, create]): Row => [`${id}.`, [...COMMON, ...LIMITS], create, { apiKey: 'a-key' }],
  ),
];

const rows = TABLE.flatMap(([root, names, build, right]) => names.map((name) => ({ root, name, build, right })));

function messageOf(build: (options: object) => unknown, options: object): string | undefined {
  try {
    build(options);
    return undefined;
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    return error.message;
  }
}

it.each(rows.map((row) => ({ ...row, place: `${row.root}${row.name}` })))(
  '$place: the error names path, found value and expected value',
  (row) => {
    const { place, name, build, right } = row;
    const message = messageOf(build, { ...right, [name]: Symbol('wrong') }) ?? '';
    const [first = '', ...others] = message.split('\n');
    expect(first).toMatch(/: found .+, expected .+\.$/);
    expect(first).toContain(`${place}: found a `);
    expect(first).not.toMatch(/Invalid|expected a symbol|unknown option/);
    expect(others.at(-1)).toBe(
      'See https://github.com/searchgate/searchgate/blob/main/docs/errors.md#invalid_configuration',
    );
    const takesNull = messageOf(build, { ...right, [name]: null }) === undefined;
    expect([first, first.includes(', or null')]).toEqual([first, takesNull]);
  },
);

it.each(Object.entries(providers))('%s: a missing key is named with its environment variable', (id, create) => {
  const variable = `${id.toUpperCase().replaceAll('-', '_')}_API_KEY`;
  for (const apiKey of [undefined, ''])
    expect(messageOf(create as never, { apiKey })).toContain(`Set ${variable} or give apiKey.`);
});

it.each([
  [
    { endpoints: { chatCompletions: true } },
    'endpoints.chatCompletions: found true, expected chatCompletions() of @searchgate/dialects.',
  ],
  [{ extensions: { usage: true } }, 'extensions: found an option, expected renamed: use endpoints.'],
  [
    { defaultLimits: { keys: { rateLimit: { requests: 60, periodSeconds: 60 } } } },
    'defaultLimits.keys.rateLimit.periodSeconds: found an option, expected renamed: use periodMs, in milliseconds.',
  ],
])('an option of an earlier build is refused with its new name: %j', (options, message) => {
  expect(messageOf(createGateway as never, { providers: [exa], ledger, apiKeys, ...options })).toContain(message);
});

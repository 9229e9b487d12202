import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGateway, memoryLedger } from '../index.js';
import { exa } from '../providers/index.js';
import { apiKeyOf, checkStoredKey } from './check-identity.js';

const IDENTITY = {
  id: 'user-1',
  organizationId: 'acme',
  label: 'Ada',
  limit: '5.00',
  limitReset: 'daily',
  allowedModels: ['exa/answer'],
};
const KEY = {
  id: 'key-1',
  organizationId: 'acme',
  label: 'demo',
  limit: 5_000_000_000n,
  limitReset: 'monthly',
  allowedModels: ['exa/answer'],
  expiresAtMs: 2_000,
  revokedAtMs: null,
  organizationSuspended: false,
};

const NO_LIMITS = {
  rateLimit: null,
  maxConcurrent: null,
  organizationRateLimit: null,
  organizationMaxConcurrent: null,
  operatorPays: false,
};
const LIMITS = {
  rateLimit: { requests: 60, periodMs: 60_000 },
  maxConcurrent: 4,
  organizationRateLimit: { requests: 1_000_000, periodMs: 86_400_000 },
  organizationMaxConcurrent: 1_000_000,
  operatorPays: true,
};

/** Values of every kind, none of which is right for the field; JavaScript turns many of them into one that is. */
const NEVER_RIGHT = [
  5,
  0,
  Number.NaN,
  true,
  false,
  Symbol('x'),
  () => 'x',
  {},
  Object.create(null),
  new Date(0),
  new Map(),
  /x/,
];
const TEXTS = [
  ...'. .. ... é -1 1e3 5,00 0x5 1.0000000001 999999999999 never'.split(' '),
  '',
  ' ',
  'a b',
  'x'.repeat(129),
  'a\0b',
  ' 5',
  '5 ',
  '9'.repeat(13),
];
const ARRAY_LIKE: object = { length: 1, 0: 'exa/answer' };
const BOXED: readonly unknown[] = [new String('x'), ['x'], [['x']], { toString: () => 'x' }, ARRAY_LIKE];

const WRONG_FIELDS: Record<keyof typeof IDENTITY, readonly unknown[]> = {
  id: [...NEVER_RIGHT, ...BOXED, null, undefined, 5n, '', 'a b', 'é', 'a\nb', 'x'.repeat(129), 'searchgate:alerts'],
  organizationId: [...NEVER_RIGHT, ...BOXED, null, undefined, 5n, '', 'a b', 'é', 'x'.repeat(129)],
  label: [...NEVER_RIGHT, ...BOXED, 5n],
  limit: [...NEVER_RIGHT, ...BOXED, 5n, ['5.00'], ...TEXTS],
  limitReset: [...NEVER_RIGHT, ...BOXED, 5n, 'Daily', 'yearly', '', ['daily']],
  allowedModels: [
    ...NEVER_RIGHT,
    5n,
    'exa/answer',
    'exa/answer-deep',
    '',
    new Set(['exa/answer']),
    [5],
    [null],
    [['exa/answer']],
    Object.assign([], { length: 1 }),
    ARRAY_LIKE,
  ],
};
const WRONG_WHOLES = [
  ...NEVER_RIGHT.filter((value) => value !== null),
  undefined,
  'user-1',
  5n,
  [],
  [IDENTITY],
  new Map(Object.entries(IDENTITY)),
  new Proxy([], {}),
];

const fieldCases = Object.entries(WRONG_FIELDS).flatMap(([field, values]) =>
  values.map((value) => [field, value] as const),
);

const escaped = (text: string) => text.replace(/[\^$.]/g, '\\$&');

describe('apiKeyOf', () => {
  it('takes an identity, whatever its prototype, and copies it', () => {
    const allowedModels = ['exa/answer'];
    const key = apiKeyOf(Object.assign(Object.create(null), { ...IDENTITY, allowedModels }));
    allowedModels.push('exa/answer-deep');
    expect(key).toEqual({
      id: 'user-1',
      organizationId: 'acme',
      label: 'Ada',
      limit: 5_000_000_000n,
      limitReset: 'daily',
      allowedModels: ['exa/answer'],
      expiresAtMs: null,
      revokedAtMs: null,
      organizationSuspended: false,
      ...NO_LIMITS,
    });
  });

  it.each([undefined, null])('accepts %s for every optional field', (none) => {
    const identity = { ...IDENTITY, label: none, limit: none, limitReset: none, allowedModels: none };
    expect(apiKeyOf(identity)).toMatchObject({ label: 'user-1', limit: null, limitReset: null, allowedModels: null });
  });

  it('takes limits of rate and concurrency, and copies them', () => {
    expect(apiKeyOf({ ...IDENTITY, ...LIMITS })).toMatchObject(LIMITS);
    expect(apiKeyOf({ ...IDENTITY, rateLimit: undefined, maxConcurrent: null })).toMatchObject(NO_LIMITS);
  });

  it.each(Object.keys(LIMITS))('refuses a wrong %s, of an identity and of a stored key', (field) => {
    const others = field === 'operatorPays' ? [] : [true];
    const wrong = [0, -1, 1.5, '4', 1_000_001, {}, [], { requests: 0, periodMs: 1_000 }, { requests: 5 }, ...others];
    const wrongRates = [{ requests: 5, periodMs: 86_401_000 }, { requests: 5, periodMs: 1_000, burst: 2 }, 5];
    for (const value of field.endsWith('RateLimit') || field === 'rateLimit' ? [...wrong, ...wrongRates] : wrong) {
      expect(() => apiKeyOf({ ...IDENTITY, [field]: value })).toThrow(new RegExp(`^${field}: found .*, expected `));
      expect(() => checkStoredKey({ ...KEY, [field]: value })).toThrow(new RegExp(`^${field}: found .*, expected `));
    }
  });

  it.each(fieldCases)('refuses a wrong %s and names it: %o', (field, value) => {
    expect(() => apiKeyOf({ ...IDENTITY, [field]: value })).toThrow(
      new RegExp(`^${field}(\\[0\\])?: found .*, expected `),
    );
  });

  it.each(WRONG_WHOLES)('refuses %o', (value) => {
    expect(() => apiKeyOf(value)).toThrow(/^(identity|id): found .*, expected /);
  });

  it('refuses a misspelled field, which would lift a limit', () => {
    expect(() => apiKeyOf({ ...IDENTITY, limits: '1' })).toThrow(
      'limits: found an unknown field, expected one of id, organizationId, label, limit, limitReset, allowedModels, budgets, domains, rateLimit, maxConcurrent, organizationRateLimit, organizationMaxConcurrent, operatorPays. Did you mean "limit"?',
    );
    expect(() => apiKeyOf({ ...IDENTITY, roles: ['admin'] })).toThrow(/operatorPays\.$/);
  });

  it('accepts exactly what its schema accepts', () => {
    fc.assert(
      fc.property(nearlyAn(IDENTITY), (value) => {
        expect(accepts(apiKeyOf, value)).toBe(identitySchema.safeParse(value).success);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('checkStoredKey', () => {
  it('takes a key and leaves out what the store keeps besides', () => {
    expect(checkStoredKey({ ...KEY, ...LIMITS, hash: 'abc' })).toEqual({ ...KEY, ...LIMITS });
    expect(checkStoredKey(KEY)).toEqual({ ...KEY, ...NO_LIMITS });
  });

  it.each([undefined, null])('takes %s for an unknown key', (none) => {
    expect(checkStoredKey(none)).toBeUndefined();
  });

  it('takes amounts up to their bounds', () => {
    for (const limit of [0n, 2n ** 62n]) expect(checkStoredKey({ ...KEY, limit })).toMatchObject({ limit });
    for (const limit of [-1n, 2n ** 62n + 1n]) expect(() => checkStoredKey({ ...KEY, limit })).toThrow('limit: found ');
  });

  it.each([
    ['label', 5, 'a string'],
    ['limit', '5.00', 'a bigint of nanodollars from 0 to 2^62, or null'],
    ['limitReset', 'hourly', 'daily, weekly, monthly or null'],
    ['allowedModels', 'exa/answer', 'an array of slugs, or null'],
    ['allowedModels[1]', ['exa/answer', 5], 'a slug such as "exa/answer"'],
    ['expiresAtMs', '5', 'milliseconds since the Unix epoch, or null'],
    ['expiresAtMs', Number.NaN, 'milliseconds since the Unix epoch, or null'],
    ['organizationSuspended', 1, 'true or false'],
  ])('says what it expected of %s', (path, value, expected) => {
    const field = path.replace('[1]', '');
    const message = `${path}: found `;
    expect(() => checkStoredKey({ ...KEY, [field]: value })).toThrow(message);
    expect(() => checkStoredKey({ ...KEY, [field]: value })).toThrow(new RegExp(`, expected ${escaped(expected)}$`));
  });

  it('says what it expected in place of a key', () => {
    expect(() => checkStoredKey([KEY])).toThrow(/^key: found .*, expected an object$/);
    expect(() => checkStoredKey('key')).toThrow('key: found "key", expected an object');
  });

  it.each(Object.keys(KEY))('refuses a key without %s, which has no safe default', (field) => {
    expect(() => checkStoredKey({ ...KEY, [field]: undefined })).toThrow(`${field}: found nothing, expected `);
  });

  it('accepts exactly what its schema accepts', () => {
    fc.assert(
      fc.property(
        nearlyAn(KEY).filter((value) => value != null),
        (value) => {
          expect(accepts(checkStoredKey, value)).toBe(keySchema.safeParse(value).success);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

const TEAM = { id: 'team:research', limit: '200.00', limitReset: 'monthly', mode: 'warn' } as const;
const KEPT = { ...TEAM, limit: 5n, isKept: true } as const;

const ofIdentity = (budgets: unknown) => apiKeyOf({ ...IDENTITY, budgets }).budgets;
const ofStored = (budgets: unknown) => checkStoredKey({ ...KEY, budgets })?.budgets;
const WAYS = [
  ['an identity', ofIdentity, TEAM],
  ['a stored key', ofStored, KEPT],
] as const;

describe('the budgets of an identity', () => {
  it('are copied, with their defaults', () => {
    const budgets = [TEAM, { id: 'user:ada', limit: null }, { id: 'b', limit: '0', limitReset: null, mode: 'enforce' }];
    expect(ofIdentity(budgets)).toEqual([
      { ...TEAM, limit: 200_000_000_000n, isKept: false },
      { id: 'user:ada', limit: null, limitReset: null, mode: 'enforce', isKept: false },
      { id: 'b', limit: 0n, limitReset: null, mode: 'enforce', isKept: false },
    ]);
  });

  it.each<[string, object, string]>([
    ['id', { ...TEAM, id: 'a b' }, '"a b"'],
    ['limit', { id: 'a' }, 'nothing'],
    ['limit', { ...TEAM, limit: 5 }, '5'],
    ['limit', { ...TEAM, limit: 5n }, '5n'],
    ['limit', { ...TEAM, limit: '-1' }, '"-1"'],
    ['limits', { ...TEAM, limits: '1' }, 'an unknown field'],
    ['isKept', { ...TEAM, isKept: true }, 'an unknown field'],
    ['mode', { ...TEAM, mode: null }, 'null'],
  ])('are refused with a wrong %s: %o', (field, budget, found) => {
    expect(() => ofIdentity([budget])).toThrow(`budgets[0].${field}: found ${found}, expected `);
  });
});

describe('the budgets of a stored key', () => {
  it('are copied without what the store keeps besides', () => {
    expect(ofStored([{ ...KEPT, organizationId: 'acme' }])).toEqual([KEPT]);
    expect(ofStored([{ ...KEPT, isKept: undefined }])).toEqual([{ ...KEPT, isKept: false }]);
  });

  it.each(['id', 'limit', 'limitReset', 'mode'])('are refused without %s, which has no safe default', (field) => {
    expect(() => ofStored([{ ...KEPT, [field]: undefined }])).toThrow(`budgets[0].${field}: found nothing, expected `);
  });

  it('are refused with a limit as text', () => {
    expect(() => ofStored([{ ...KEPT, limit: '5' }])).toThrow('budgets[0].limit: found "5", expected a bigint');
  });
});

describe.each(WAYS)('the budgets of %s', (_name, budgetsOf, budget) => {
  it.each([[undefined], [null], [[]]])('are absent for %o', (none) => {
    expect(budgetsOf(none)).toBeUndefined();
  });

  it('are at most four', () => {
    const many = (length: number) => Array.from({ length }, (_, index) => ({ ...budget, id: `b${index}` }));
    expect(budgetsOf(many(4))).toHaveLength(4);
    expect(() => budgetsOf(many(5))).toThrow('budgets: found an array of 5, expected at most 4 budgets');
  });

  it('have each id once', () => {
    const twice = [budget, { ...budget, id: 'other' }, budget];
    expect(() => budgetsOf(twice)).toThrow('budgets[2].id: found "team:research", expected an id that no other');
  });

  it.each([{}, 'team:research', 5, new Set([TEAM]), { 0: TEAM, length: 1 }])('are refused as %o', (value) => {
    expect(() => budgetsOf(value)).toThrow(/^budgets: found .*, expected an array of at most 4 budgets$/);
  });

  it.each([null, undefined, 'team:research', [TEAM], 5])('have no %o among them', (value) => {
    expect(() => budgetsOf([budget, value])).toThrow(/^budgets\[1\]: found .*, expected an object$/);
  });

  it('have no gap among them', () => {
    const sparse: unknown[] = [];
    sparse[1] = budget;
    expect(() => budgetsOf(sparse)).toThrow('budgets[0]: found nothing');
  });

  it.each<[string, unknown]>([
    ['id', 'a'.repeat(10_000)],
    ['id', 'a'.repeat(129)],
    ['id', 'two words'],
    ['id', '..'],
    ['id', 5],
    ['limitReset', 'hourly'],
    ['mode', 'soft'],
    ['mode', true],
    ['mode', ['warn']],
  ])('are refused with a wrong %s', (field, value) => {
    const refused = () => budgetsOf([{ ...budget, [field]: value }]);
    expect(refused).toThrow(new RegExp(`^budgets\\[0\\]\\.${field}: found .{1,200}, expected .{1,200}$`));
  });
});

describe('a gateway', () => {
  it('refuses a wrong identity in every call in process, and logs what is wrong', async () => {
    const logged: string[] = [];
    const note = ({ error }: Record<string, unknown>) => void logged.push(String(error));
    const gateway = createGateway({
      providers: [exa({ apiKey: 'unused' })],
      ledger: memoryLedger({ credits: { acme: '1' } }),
      authenticate: () => null,
      logger: { warn: note, error: note },
    });
    const apiKey = { ...IDENTITY, allowedModels: 'exa/answer-deep' } as never;
    const calls = [
      gateway.answer({ apiKey, model: 'exa/answer', query: 'When?' }),
      gateway.credits({ apiKey }),
      gateway.key({ apiKey }),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ reason: 'hook_failed', status: 500 });
    expect(new Set(logged)).toEqual(
      new Set(['WrongShapeError: allowedModels: found "exa/answer-deep", expected an array of slugs, or null']),
    );
    await gateway.close();
  });
});

/** What is right, said a second time and in another way. */
const id = z.string().regex(/^(?!\.{1,2}$)[!-~]{1,128}$/);
const keyId = id.refine((text) => !text.startsWith('searchgate:'));
const reset = z.enum(['daily', 'weekly', 'monthly']);
const slugs = z.array(z.string());
const MAX_USD = 4_611_686_018.427;
const decimal = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,9}0*)?$/)
  .refine((text) => Number(text) <= MAX_USD);
const identitySchema = z
  .strictObject({
    id: keyId,
    organizationId: id,
    label: z.string().nullish(),
    limit: decimal.nullish(),
    limitReset: reset.nullish(),
    allowedModels: slugs.nullish(),
  })
  .refine(({ limit, limitReset }) => limit != null || limitReset == null);
const time = z.number().refine(Number.isFinite);
const keySchema = z.object({
  id: keyId,
  organizationId: id,
  label: z.string(),
  limit: z
    .bigint()
    .min(0n)
    .max(2n ** 62n)
    .nullable(),
  limitReset: reset.nullable(),
  allowedModels: slugs.nullable(),
  expiresAtMs: time.nullable(),
  revokedAtMs: time.nullable(),
  organizationSuspended: z.boolean(),
});

/** Anything at all, and right objects of which up to two fields are replaced, removed or added. */
function nearlyAn(right: object): fc.Arbitrary<unknown> {
  const value = fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true }),
    fc.constantFrom<unknown>(
      ...TEXTS,
      ...NEVER_RIGHT,
      ...BOXED,
      ...Object.values(IDENTITY),
      ...Object.values(KEY),
      2n ** 62n,
      2n ** 62n + 1n,
      -1n,
    ),
    fc.array(fc.oneof(fc.string(), fc.anything())),
    fc.string(),
  );
  const field = fc.oneof(
    fc.constantFrom(...Object.keys(right)),
    fc.constantFrom('limits', 'allowedModel', '__proto__'),
  );
  const change = fc.tuple(field, fc.oneof(fc.record({ to: value }), fc.constant(null)));
  const changed = fc.array(change, { maxLength: 2 }).map((changes) => {
    const fields = new Map<string, unknown>(Object.entries(right));
    for (const [name, to] of changes) {
      if (to === null) fields.delete(name);
      else fields.set(name, to.to);
    }
    return Object.fromEntries(fields);
  });
  return fc.oneof({ weight: 1, arbitrary: value }, { weight: 9, arbitrary: changed });
}

function accepts(check: (value: unknown) => unknown, value: unknown): boolean {
  try {
    check(value);
    return true;
  } catch (error) {
    if ((error as Error).name !== 'WrongShapeError') throw error;
    return false;
  }
}

describe('the domain rules', () => {
  const RULE = { only: ['B.org', 'a.org'] };
  const read = { only: ['a.org', 'b.org'] };

  it('of an identity are one, of a stored key several, normalized', () => {
    expect(apiKeyOf({ ...IDENTITY, domains: RULE }).domains).toEqual([read]);
    expect(checkStoredKey({ ...KEY, domains: [RULE, { never: ['c.org'] }] })?.domains).toEqual([
      read,
      { never: ['c.org'] },
    ]);
    for (const none of [undefined, null]) {
      expect(apiKeyOf({ ...IDENTITY, domains: none }).domains).toBeUndefined();
      expect(checkStoredKey({ ...KEY, domains: none })?.domains).toBeUndefined();
    }
    expect(checkStoredKey({ ...KEY, domains: [] })?.domains).toBeUndefined();
  });

  it.each([
    ...NEVER_RIGHT,
    [],
    ['a.org'],
    { only: [] },
    { never: 'a.org' },
    { only: ['*.org'] },
    { only: ['a.org'], never: [] },
    { only: Array(2) },
  ])('are refused: %o', (value) => {
    expect(() => apiKeyOf({ ...IDENTITY, domains: value })).toThrow(/^domains: found .*, expected \{ only: /);
    expect(() => checkStoredKey({ ...KEY, domains: [value] })).toThrow(/^domains\[0\]: found .*, expected \{ only: /);
  });

  it('of a stored key are a list', () => {
    expect(() => checkStoredKey({ ...KEY, domains: RULE })).toThrow('domains: found an object, expected an array of');
  });
});

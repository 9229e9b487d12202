import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryApiKeys } from '../../auth/memory-api-keys.js';
import { createGateway } from '../../gateway.js';
import type { GatewayOptions } from '../../gateway-options.js';
import { memoryLedger } from '../../ledger/memory-ledger.js';
import { exa } from '../../providers/index.js';
import { parseOptions } from './parse-options.js';

describe('options that are missing', () => {
  const options = (value: unknown) => () => createGateway(value as GatewayOptions);

  it('are named if createGateway is called without options', () => {
    expect(options(undefined)).toThrow('options: found nothing, expected an object with providers and ledger.');
    expect(options(null)).toThrow('options: found null, expected an object with providers and ledger.');
  });

  it('are named one by one, each with an example', () => {
    expect(options({})).toThrow(
      'providers: found nothing, expected an array of providers such as [exa({ apiKey })].\n' +
        'ledger: found nothing, expected a ledger such as memoryLedger().',
    );
  });

  it('are not named if none is required', () => {
    const schema = z.strictObject({ size: z.int().default(1) });
    expect(() => parseOptions(schema, 'small', 'box')).toThrow('box: found "small", expected an object.');
  });
});

describe('a secret that is empty', () => {
  const schema = z.strictObject({ token: z.string().min(1, 'a token') });

  it('is shown as empty, and any other secret is not shown', () => {
    expect(() => parseOptions(schema, { token: '' }, '')).toThrow('token: found "", expected a token.');
    expect(() => parseOptions(schema, { token: 7 }, '')).toThrow('token: found a number (not shown)');
  });
});

describe('a mistake inside an option', () => {
  const size = z.strictObject({ width: z.int('a whole number') });
  const schema = z.strictObject({
    either: z.union([z.boolean(), size], 'true, or an object such as { width: 3 }').transform(String).optional(),
    piped: size
      .refine(() => true)
      .transform(String)
      .optional(),
    byName: z.object({ share: z.number() }).catchall(size).optional(),
    named: z.record(z.string().regex(/\//, 'a slug'), size, 'an object of sizes').optional(),
    plain: z.strictObject({ list: z.array(z.string()), words: z.record(z.string(), z.string()) }).optional(),
  });
  const problemOf = (options: unknown) => {
    try {
      parseOptions(schema, options, 'box');
      return '';
    } catch (error) {
      return (error as Error).message.split('\n')[0];
    }
  };

  it.each([
    [{ either: 7 }, 'box.either: found 7, expected true, or an object such as { width: 3 }.'],
    [{ either: { width: '3' } }, 'box.either.width: found "3", expected a whole number.'],
    [{ either: { width: 3, depth: 1 } }, 'box.either.depth: found an unknown option, expected one of width.'],
    [
      { piped: { width: 3, witdh: 1 } },
      'box.piped.witdh: found an unknown option, expected one of width. Did you mean "width"?',
    ],
    [
      { byName: { share: 1, own: { width: 3, depth: 1 } } },
      'box.byName.own.depth: found an unknown option, expected one of width.',
    ],
    [{ byName: { share: 'all' } }, 'box.byName.share: found "all", expected a number.'],
    [{ named: { own: { width: 3 } } }, 'box.named.own: found the name "own", expected a slug.'],
    [{ named: [] }, 'box.named: found an array of 0, expected an object of sizes.'],
    [{ plain: [] }, 'box.plain: found an array of 0, expected an object.'],
    [{ plain: { list: {}, words: {} } }, 'box.plain.list: found an object, expected an array.'],
    [{ plain: { list: [1], words: {} } }, 'box.plain.list[0]: found 1, expected a string.'],
    [{ plain: { list: [], words: 'w' } }, 'box.plain.words: found "w", expected an object.'],
  ])('is named by its place: %j', (options, message) => {
    expect(problemOf(options)).toBe(message);
  });
});

describe('an entry named __proto__', () => {
  const named = (value: unknown) => JSON.parse(`{ "__proto__": ${JSON.stringify(value)} }`) as object;
  const base = { providers: [], ledger: memoryLedger(), apiKeys: memoryApiKeys() };

  it.each([
    ['aliases', named('exa/answer')],
    ['groups', named({ models: ['exa/answer'] })],
    ['hedging', named({ afterMs: 1, with: 'exa/answer', maxExtraCost: '1' })],
    ['models', named({ price: '0.01' })],
    ['organizationMarkups', named('1.5')],
    ['organizationLimits', named({ maxConcurrent: 1 })],
  ])('is named, not passed over, in %s', (option, value) => {
    const found = `${option}.__proto__: found the name "__proto__", expected another name`;
    expect(() => createGateway({ ...base, [option]: value })).toThrow(found);
  });

  it('is named in the headers of a provider', () => {
    expect(() => exa({ apiKey: 'a-key', headers: named('x') as Record<string, string> })).toThrow('headers.__proto__');
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('is taken if only called %s', async (name) => {
    const ledger = memoryLedger({ credits: { [name]: '5.00' } });
    expect(await ledger.organizationTotals(name)).toMatchObject({ credits: 5_000_000_000n });
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 0n });
  });
});

describe('an object without fields where options belong', () => {
  const options = (value: object) => () =>
    createGateway({
      providers: [exa({ apiKey: 'a-key' })],
      ledger: memoryLedger(),
      apiKeys: memoryApiKeys(),
      ...value,
    });
  const later = () => Promise.resolve({ keys: { maxConcurrent: 4 } });

  it.each<[string, object, string]>([
    ['a Promise', { defaultLimits: later() }, 'defaultLimits: found a Promise without fields'],
    ['one in a list by name', { organizationLimits: { acme: later() } }, 'organizationLimits.acme: found a Promise'],
    ['one in an option that may be true, too', { coalescing: later() }, 'coalescing: found a Promise'],
    ['a Map', { hedging: new Map() }, 'hedging: found a Map without fields, expected an object.'],
  ])('is refused: %s', (_what, value, message) => {
    expect(options(value)).toThrow(message);
  });

  it('is refused in place of all options', () => {
    expect(() => createGateway(later() as unknown as GatewayOptions)).toThrow('options: found a Promise');
  });

  it('says that a Promise has to be awaited', () => {
    expect(options({ defaultLimits: later() })).toThrow('expected an object; this has to be awaited.');
  });

  it('is neither a plain object nor an instance with fields', () => {
    class Limits {
      readonly keys = { maxConcurrent: 4 };
    }
    for (const defaultLimits of [{}, Object.create(null) as object, new Limits()])
      expect(options({ defaultLimits })).not.toThrow();
  });
});

describe('an option of a schema without messages', () => {
  const any = z.unknown();
  it.each<[z.ZodType, unknown, string]>([
    [z.string(), 7, 'a string'],
    [z.int(), 1.5, 'a whole number'],
    [z.record(z.string(), any), 7, 'an object'],
    [z.int().min(1), 0, 'at least 1'],
    [z.number().gt(0), 0, 'above 0'],
    [z.number().lt(5), 5, 'below 5'],
    [z.string().min(2), 'x', 'at least 2 characters'],
    [z.array(any).max(1), [1, 2], 'at most 1 items'],
    [z.enum(['a', 'b']), 7, '"a" or "b"'],
    [z.literal(3), 7, '3'],
    [z.union([z.string(), z.string(), z.int()]), true, 'a string or a number'],
    [z.string().regex(/^a$/), 'b', 'a text of another form'],
    [z.iso.datetime(), 'b', 'a time such as 2026-11-21T12:00:00Z'],
    [z.number().multipleOf(2), 3, 'another value'],
    [z.string().refine(() => false), 'b', 'another value'],
    [z.record(z.string().max(1), any), { ab: 1 }, 'at most 1 characters'],
  ])('is refused in our words: %#', (schema, value, expected) => {
    const wrong = () => parseOptions(z.strictObject({ of: schema }), { of: value }, '');
    expect(wrong).toThrow(`, expected ${expected}.`);
  });
});

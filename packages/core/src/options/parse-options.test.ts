import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGateway } from '../gateway.js';
import type { GatewayOptions } from '../gateway-options.js';
import { parseOptions } from './parse-options.js';

describe('options that are missing', () => {
  const options = (value: unknown) => () => createGateway(value as GatewayOptions);

  it('are named, where createGateway is called with nothing', () => {
    expect(options(undefined)).toThrow('options: found nothing, expected an object with providers and ledger.');
    expect(options(null)).toThrow('options: found null, expected an object with providers and ledger.');
  });

  it('are named one by one, each with an example', () => {
    expect(options({})).toThrow(
      'providers: found nothing, expected an array of providers such as [exa({ apiKey })].\n' +
        'ledger: found nothing, expected a ledger such as memoryLedger().',
    );
  });

  it('are not asked for where none is needed', () => {
    const schema = z.strictObject({ size: z.int().default(1) });
    expect(() => parseOptions(schema, 'small', 'box')).toThrow('box: found "small", expected an object.');
  });
});

describe('a secret that is empty', () => {
  const schema = z.strictObject({ token: z.string().min(1, 'a token') });

  it('is shown as empty, and any other is not shown', () => {
    expect(() => parseOptions(schema, { token: '' }, '')).toThrow('token: found "", expected a token.');
    expect(() => parseOptions(schema, { token: 7 }, '')).toThrow('token: found a number (not shown)');
  });
});

import { z } from 'zod';
import { count } from '../base/options/option-schemas.js';
import { parseOptions } from '../base/options/parse-options.js';
import type { Provider } from './provider.js';

const MOST = 100_000;
const DEFAULT_QUEUE_MS = 1_000;

const perKey = {
  rateLimit: z
    .strictObject(
      { requests: count(1, MOST), periodMs: count(1, 86_400_000) },
      'an object such as { requests: 10, periodMs: 1000 }',
    )
    .optional(),
  maxConcurrent: count(1, MOST).optional(),
};

/** The fields of a provider's limits. */
export const providerLimitSettings = {
  ...perKey,
  maxQueueMs: count(0, 600_000).default(DEFAULT_QUEUE_MS),
};

const NAME = '1 to 32 letters, digits, ".", "_" and "-", the first a letter or a digit';

/** The fields of each of several keys, besides the key. */
export const keySettings = { name: z.string(NAME).regex(/^[A-Za-z\d][\w.-]{0,31}$/, NAME), ...perKey };

/** How one of several keys is chosen. */
export const pickSetting = z.enum(['first', 'least-used'], '"first" or "least-used"');

const key = z.strictObject({ ...keySettings, rotates: z.boolean('true or false').optional() });
const list = z
  .array(key, 'an array of keys')
  .min(1, 'at least one key')
  .refine((keys) => new Set(keys.map(({ name }) => name)).size === keys.length, 'no name twice');
const schema = z.strictObject({
  ...providerLimitSettings,
  keys: z.strictObject({ pick: pickSetting, list }).optional(),
});

/** Checks the limits and keys of all providers, because anyone can write a provider. @returns those that are set. @throws ConfigurationError */
export function limitsOfProviders(
  providers: readonly Pick<Provider, 'id' | 'limits' | 'keys'>[],
): ReadonlyMap<string, z.output<typeof schema>> {
  const limits = new Map<string, z.output<typeof schema>>();
  for (const { id, limits: given = {}, keys } of providers) {
    const own = parseOptions(schema, { ...given, keys }, id);
    if (own.rateLimit ?? own.maxConcurrent ?? own.keys) limits.set(id, own);
  }
  return limits;
}

import { z } from 'zod';
import { count } from '../base/options/option-schemas.js';
import { parseOptions } from '../base/options/parse-options.js';
import type { Provider, ProviderKeys } from './provider.js';

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

const schema = z.strictObject(providerLimitSettings);

const keysSchema = z.strictObject({
  pick: pickSetting,
  list: z
    .array(z.strictObject({ ...keySettings, rotates: z.boolean('true or false').optional() }), 'an array of keys')
    .min(1, 'at least one key')
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'no name twice'),
});

/** Checks the keys of providers that have several, as {@link limitsOfProviders}. @throws ConfigurationError */
export function keysOfProviders(
  providers: readonly Pick<Provider, 'id' | 'keys'>[],
): ReadonlyMap<string, ProviderKeys> {
  return new Map(
    providers.flatMap(({ id, keys }) =>
      keys === undefined ? [] : [[id, parseOptions(keysSchema, keys, `${id}.keys`)]],
    ),
  );
}

/** Checks the limits of all providers, because anyone can write a provider. @returns the limits that are set. @throws ConfigurationError */
export function limitsOfProviders(
  providers: readonly Pick<Provider, 'id' | 'limits' | 'keys'>[],
): ReadonlyMap<string, z.output<typeof schema>> {
  const limits = new Map<string, z.output<typeof schema>>();
  for (const { id, limits: given = {}, keys } of providers) {
    const own = parseOptions(schema, given, id);
    if ([own, ...(keys?.list ?? [])].some((each) => each.rateLimit ?? each.maxConcurrent)) limits.set(id, own);
  }
  return limits;
}

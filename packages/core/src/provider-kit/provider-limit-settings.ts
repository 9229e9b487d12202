import { z } from 'zod';
import { count } from '../base/options/option-schemas.js';
import { parseOptions } from '../base/options/parse-options.js';
import type { Provider } from './provider.js';

const MOST = 100_000;
const DEFAULT_QUEUE_MS = 1_000;

/** The fields of a provider's limits. */
export const providerLimitSettings = {
  rateLimit: z
    .strictObject(
      { requests: count(1, MOST), periodMs: count(1, 86_400_000) },
      'an object such as { requests: 10, periodMs: 1000 }',
    )
    .optional(),
  maxConcurrent: count(1, MOST).optional(),
  maxQueueMs: count(0, 600_000).default(DEFAULT_QUEUE_MS),
};

const schema = z.strictObject(providerLimitSettings);

/** Checks the limits of all providers, because anyone can write a provider. @returns the limits that are set. @throws ConfigurationError */
export function limitsOfProviders(
  providers: readonly Pick<Provider, 'id' | 'limits'>[],
): ReadonlyMap<string, z.output<typeof schema>> {
  const limits = new Map<string, z.output<typeof schema>>();
  for (const { id, limits: given = {} } of providers) {
    const own = parseOptions(schema, given, id);
    if (own.rateLimit !== undefined || own.maxConcurrent !== undefined) limits.set(id, own);
  }
  return limits;
}

import { z } from 'zod';
import { parseMultiplier } from '../base/money.js';
import { count, port, share } from '../base/options/option-schemas.js';
import type { AnswerStore } from './answer-store.js';
import { memoryAnswers } from './memory-answers.js';

/** How answers are kept, so that the same question need not be asked of a provider again. */
export interface CacheOptions {
  /** How long an answer is given again, 1 to 2,592,000,000 (30 days). */
  readonly ttlMs: number;
  /** What an answer that was kept costs: a multiplier from 0 to 1 on what it would be charged as a new one, a decimal string. Default `"1"`. */
  readonly price?: string | undefined;
  /** Most answers in the memory of this process, 1 to 1,000,000. Default 10,000. Not beside `store`. */
  readonly maxEntries?: number | undefined;
  /** Most bytes of them, 65,536 to 1,073,741,824. Default 64 MiB. Not beside `store`. */
  readonly maxBytes?: number | undefined;
  /** Where answers are kept instead of the memory of this process. */
  readonly store?: AnswerStore | undefined;
  /** Longest wait for the store, 1 to 60,000. Default 250 ms. */
  readonly storeTimeoutMs?: number | undefined;
}

const DEFAULT_MAX_ENTRIES = 10_000;
const DEFAULT_MAX_BYTES = 64 * 1_024 * 1_024;
const DEFAULT_STORE_TIMEOUT_MS = 250;
const OWN_SIZE = 'none beside store: how much it keeps is its own affair';

export const cacheSchema = z
  .strictObject(
    {
      ttlMs: count(1, 2_592_000_000),
      price: share.default(parseMultiplier('1')),
      maxEntries: count(1, 1_000_000).optional(),
      maxBytes: count(65_536, 1_073_741_824).optional(),
      store: port<AnswerStore>(['get', 'set'], 'a store with get and set').optional(),
      storeTimeoutMs: count(1, 60_000).default(DEFAULT_STORE_TIMEOUT_MS),
    },
    'an object such as { ttlMs: 600000 }',
  )
  .refine(({ store, maxEntries }) => store === undefined || maxEntries === undefined, {
    path: ['maxEntries'],
    message: OWN_SIZE,
  })
  .refine(({ store, maxBytes }) => store === undefined || maxBytes === undefined, {
    path: ['maxBytes'],
    message: OWN_SIZE,
  })
  .transform(({ store, maxEntries = DEFAULT_MAX_ENTRIES, maxBytes = DEFAULT_MAX_BYTES, ...others }) => ({
    ...others,
    store: store ?? memoryAnswers({ maxEntries, maxBytes }),
  }));

/** The options after parsing. */
export type CacheConfig = z.output<typeof cacheSchema>;

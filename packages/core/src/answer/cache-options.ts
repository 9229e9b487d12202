import { z } from 'zod';
import { parseMultiplier } from '../base/money.js';
import { count, port, share } from '../base/options/option-schemas.js';
import { createOwnedEntries } from '../base/owned-entries.js';

/** What an entry takes besides its texts. */
const OVERHEAD_BYTES = 300;

/**
 * Keeps answers in this process: so many, and so many bytes. Where there is no room for all, the organization that has most loses those of its own that
 * were not asked for the longest. Who reads them looks at their age.
 */
function memoryAnswers({ maxEntries, maxBytes }: { maxEntries: number; maxBytes: number }): AnswerStore {
  const answers = createOwnedEntries<string>({ maxEntries, maxBytes });
  return {
    get: (name) => Promise.resolve(answers.use(name)),
    // One that is larger than all may be is not kept, and neither is its predecessor.
    set(name, text) {
      // A name ends with the hash of the question; what is before is the same for all of an organization.
      const owner = name.slice(0, name.lastIndexOf(':'));
      const bytes = OVERHEAD_BYTES + 2 * (name.length + text.length);
      return Promise.resolve(answers.set(name, text, { owner, bytes }));
    },
  };
}

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

/**
 * Where answers are kept: texts by name, for a time. It need not be reliable. What it has lost is asked for again, and a failure counts as not
 * found. Names are at most 256 printable ASCII characters; they hold the id of an organization and a SHA-256, never a question.
 */
export interface AnswerStore {
  /** The text of a name; `null` or `undefined` for none. */
  get(name: string): Promise<string | null | undefined>;
  /** Keeps a text for `ttlMs`, in place of an earlier one. `false` says that it did not, such as one too large; what else it resolves to does not matter. */
  set(name: string, text: string, ttlMs: number): Promise<unknown>;
}

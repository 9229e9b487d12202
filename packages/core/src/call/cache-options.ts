import { z } from 'zod';
import { parseMultiplier } from '../base/money.js';
import { count, port, share } from '../base/options/option-schemas.js';
import { createOwnedEntries } from '../base/owned-entries.js';

/** Memory of an entry besides its name and text. */
const OVERHEAD_BYTES = 300;

/**
 * Keeps answers in this process, up to a number of entries and of bytes. When full, the organization that uses the most loses its least recently used
 * answer. Readers check the age of an answer.
 */
function memoryAnswers({ maxEntries, maxBytes }: { maxEntries: number; maxBytes: number }): AnswerStore {
  const answers = createOwnedEntries<string>({ maxEntries, maxBytes });
  // A name ends with the hash of the question; the part before the hash is the same for all answers of an organization.
  const ownerOf = (name: string) => name.slice(0, name.lastIndexOf(':'));
  return {
    get: (name) => Promise.resolve(answers.use(name)),
    // An answer larger than `maxBytes` is not kept, and removes the earlier answer of its name.
    set(name, text) {
      const bytes = OVERHEAD_BYTES + 2 * (name.length + text.length);
      return Promise.resolve(answers.set(name, text, { owner: ownerOf(name), bytes }));
    },
    erase: (prefix) => Promise.resolve(answers.deleteOf(ownerOf(prefix)).length),
  };
}

/** The cache of answers, which answers a repeated question without a provider. */
export interface CacheOptions {
  /** How long a cached answer is served, 1 to 2,592,000,000 (30 days). A search that found nothing is served for a minute at most. */
  readonly ttlMs: number;
  /** The price of a cached answer: a multiplier from 0 to 1 on the charge of a new answer, as a decimal string. @default `"1"` */
  readonly price?: string | undefined;
  /** Most answers in the memory of this process, 1 to 1,000,000. Not allowed with `store`. @default 10,000 */
  readonly maxEntries?: number | undefined;
  /** Most bytes of answers in the memory of this process, 65,536 to 1,073,741,824. Not allowed with `store`. @default 64 MiB */
  readonly maxBytes?: number | undefined;
  /** Keeps answers in place of the memory of this process. @default none */
  readonly store?: AnswerStore | undefined;
  /** Longest wait for the store, 1 to 60,000. @default 250 ms */
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
 * Keeps cached answers: texts by name, for a limited time. A store need not be reliable: a lost answer is asked for again, and a failure counts as not
 * found. Names are at most 256 printable ASCII characters; they hold the id of an organization and a SHA-256, never a question.
 */
export interface AnswerStore {
  /** The text of a name; `null` or `undefined` when the name has no text. */
  get(name: string): Promise<string | null | undefined>;
  /** Keeps a text for `ttlMs` and replaces an earlier text. Resolves to `false` if the text was not kept, for example because of its size. */
  set(name: string, text: string, ttlMs: number): Promise<unknown>;
  /** Removes the texts of an organization: their names begin with the prefix. Without this operation, they stay until their time. @returns how many. */
  erase?(prefix: string): Promise<number>;
}

import { z } from 'zod';
import type { Grounding } from '../../provider-kit/provider.js';

const count = (description: string) => z.int().min(0).max(MAX_COUNT).describe(description);
/** More than an answer can have. */
const MAX_COUNT = 100_000;

/** In replies, in caches, and of adapters that may have made it of anything. */
export const groundingSchema = z
  .strictObject({
    sentences: count('All sentences of the answer.'),
    supported: count('Sentences with a cited source that has their words.'),
    unsupported: count('Sentences with citations of which no source has their words.'),
    removed: count('Markers that were taken out of the text.'),
  })
  .describe(
    'What a check of the sentences against the sources that they cite found. It compares words.',
  ) satisfies z.ZodType<Grounding>;

/** Whether a check found what it can find, or there was none. */
export const isGrounding = (given: unknown): boolean => given === undefined || groundingSchema.safeParse(given).success;

import { z } from 'zod';
import { count, ledgerIdSchema, port } from '../base/options/option-schemas.js';
import type { RequestLog } from '../ledger/request-log.js';

/** Whose questions and answers are kept beside the log of calls. */
export interface CaptureOptions {
  /** Ids of 1 to 1,000 organizations, or `all`. */
  readonly organizations: 'all' | readonly string[];
  /** Most characters of a question, and of an answer, 1 to 100,000; the rest is cut off. @default 10,000 */
  readonly maxCharacters?: number | undefined;
  /** Days that they are kept, at most as long as calls. @default 7, or as long as calls */
  readonly keepDays?: number | undefined;
}

/** How long questions and answers are kept unless the host says otherwise. */
const KEEP_TEXTS_DAYS = 7;
const ORGANIZATIONS = '"all", or an array of 1 to 1,000 ids of organizations';
const METHODS: readonly (keyof RequestLog)[] = ['append', 'find', 'get', 'prune', 'erase'];

const captureSchema = z.strictObject(
  {
    organizations: z.union([z.literal('all'), z.array(ledgerIdSchema).min(1).max(1_000)], ORGANIZATIONS),
    maxCharacters: count(1, 100_000).default(10_000),
    keepDays: count(1, 400).optional(),
  },
  'an object such as { organizations: "all" }',
);

export const requestLogSchema = z
  .strictObject(
    {
      log: port<RequestLog>(METHODS, 'a log such as ledger.requests or memoryRequestLog()'),
      keepDays: count(1, 400).default(14),
      maxRows: count(1_000, 100_000_000).default(2_000_000),
      capture: captureSchema.optional(),
    },
    'an object such as { log: memoryRequestLog() }',
  )
  .refine(({ capture, keepDays }) => (capture?.keepDays ?? 0) <= keepDays, {
    path: ['capture', 'keepDays'],
    message: 'at most the keepDays of the log',
  })
  .refine(({ capture, log }) => capture === undefined || log.texts !== undefined, {
    path: ['capture'],
    message: 'a log that keeps texts, such as ledger.requests or memoryRequestLog()',
  })
  .transform(({ capture, ...options }) => {
    const keepTextsDays = capture?.keepDays ?? Math.min(KEEP_TEXTS_DAYS, options.keepDays);
    return { ...options, keepTextsDays, capture: capture && { ...capture, keepDays: keepTextsDays } };
  });

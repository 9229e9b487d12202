import type { Logger } from '../base/events/logger.js';
import type { IdSource } from '../base/ids.js';
import type { Clock } from '../base/time/clock.js';
import { createAnswerCache } from './answer-cache.js';
import type { CacheConfig } from './cache-options.js';
import type { RunAnswerDeps } from './run-answer.js';
import { createSharedCalls, type SharedCallsDeps } from './shared-calls.js';

interface AnsweringConfig extends Pick<RunAnswerDeps, 'overrun'> {
  readonly cache?: CacheConfig | undefined;
  /** `null` for none. */
  readonly coalescing: Pick<SharedCallsDeps, 'sharedPrice'> | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: IdSource;
}

/** What the parts of a gateway are for the pipeline. */
type AnsweringParts = Pick<RunAnswerDeps, 'holding' | 'attempting' | 'settler' | 'latencies' | 'events' | 'markupOf'>;

/** Builds what the pipeline works with: the parts it is given, answers that are kept, and calls that are shared. */
export function buildAnswering(config: AnsweringConfig, parts: AnsweringParts): RunAnswerDeps {
  const { cache, coalescing, clock, logger, newId, overrun } = config;
  const { holding, markupOf } = parts;
  return {
    ...parts,
    clock,
    logger,
    newAnswerId: () => `ans_${newId(clock.now())}`,
    overrun,
    cache: cache === undefined ? null : createAnswerCache({ config: cache, clock, logger, markupOf }),
    sharing: coalescing === null ? null : createSharedCalls({ ...coalescing, holding, clock }),
  };
}

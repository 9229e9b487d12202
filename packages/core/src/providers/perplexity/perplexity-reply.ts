import type { Source } from '../citations.js';
import type { OutcomeCost } from '../provider.js';

/** What both of Perplexity's reply shapes say, read out of them. */
export interface PerplexityReply {
  readonly id: string | null | undefined;
  /** The model that served; it may differ from the one asked for. */
  readonly model: string | null | undefined;
  /** Runs that failed, were cut short or still go on come with HTTP 200 as well. */
  readonly completed: boolean;
  /** The model declined to answer. */
  readonly refused: boolean;
  readonly text: string;
  /** `null` when nothing shows that a search took place. */
  readonly sources: readonly Source[] | null;
  readonly cost: OutcomeCost;
}

import type { FinishReason } from '../../provider-kit/evidence.js';
import type { OutcomeCost } from '../../provider-kit/provider.js';
import type { Source } from '../../text/collect-citations.js';
import type { Mark } from '../../text/rewriter.js';

/** What both of Perplexity's reply shapes say, read out of them. */
export interface PerplexityReply {
  readonly id: string | null | undefined;
  /** The model that served; it may differ from the one asked for. */
  readonly model: string | null | undefined;
  readonly finishReason: FinishReason;
  readonly text: string;
  /** What annotations say. */
  readonly marks?: readonly Mark[] | undefined;
  /** Whether the text has no markers beside {@link marks}. */
  readonly numbersAreWords?: boolean | undefined;
  /** `null` when nothing shows that a search took place. */
  readonly sources: readonly Source[] | null;
  readonly cost: OutcomeCost;
}

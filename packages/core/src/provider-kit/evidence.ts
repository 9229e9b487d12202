/** How a reply with HTTP 200 ended. */
export type FinishReason =
  | 'complete'
  /** Stopped early, for instance by a token limit. Not delivered: another attempt or a fallback may give a complete answer. */
  | 'truncated'
  /** The model, or a filter, declined to answer. */
  | 'refused'
  /** The provider reports an error, or has not finished. */
  | 'failed'
  /** Nothing in the reply says that it is whole, so that it may have been cut. */
  | 'unproven';

/**
 * The positive evidence that a reply is whole: reads how it ended by the field in which the vendor says so, and is `unproven` where that field is missing.
 * `'closed object'` where the vendor says nothing: then the last bracket of the JSON is the evidence.
 */
export type Evidence<Reply> = ((reply: Reply) => FinishReason) | 'closed object';

/** How a stream stands that is asked whether it is whole. None of this is evidence by itself: it says that no more comes, not that all has come. */
export type StreamEnd =
  /** `[DONE]` was the last word. */
  | 'done'
  /** The body ended in order. */
  | 'closed'
  /** The connection broke, or the time is up. */
  | 'cut';

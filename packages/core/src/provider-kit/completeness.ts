/** How a reply with HTTP 200 ended. */
export type FinishReason =
  | 'complete'
  /** Stopped by the limit of output tokens. Delivered if the caller has set the limit; otherwise a failure, as `cut`. */
  | 'truncated'
  /** Stopped early by something else, such as a full context. Not delivered: another attempt or a fallback may give a complete answer. */
  | 'cut'
  /** The model, or a filter, declined to answer. */
  | 'refused'
  /** The provider reports an error, or has not finished. */
  | 'failed'
  /** No field of the reply proves that it is whole: it may have been cut. */
  | 'unproven';

/**
 * The positive evidence that a reply is whole: reads the vendor's field for the end of a reply, and is `unproven` when that field is missing.
 * `'valid JSON'` is for vendors without such a field: the last bracket of the JSON is the evidence.
 */
export type Completeness<Reply> = ((reply: Reply) => FinishReason) | 'valid JSON';

/** How a stream has ended so far. This alone proves nothing: no more content comes, but content may be missing. */
export type StreamEnd =
  /** `[DONE]` was the last event. */
  | 'done'
  /** The body ended in order. */
  | 'closed'
  /** The connection broke, or the time is up. */
  | 'cut';

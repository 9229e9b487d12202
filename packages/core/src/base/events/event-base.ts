/** The common fields of events. */
export interface EventBase {
  /** When it happened, in milliseconds since the Unix epoch. */
  readonly atMs: number;
}

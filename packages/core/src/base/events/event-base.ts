/** The common fields of events. */
export interface EventBase {
  readonly atMs: number;
}

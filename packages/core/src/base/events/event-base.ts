/** What every event has. */
export interface EventBase {
  readonly atMs: number;
}

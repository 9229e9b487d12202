/**
 * Where answers are kept: texts by name, for a time. It need not be reliable. What it has lost is asked for again, and a failure counts as not
 * found. Names are at most 256 printable ASCII characters; they hold the id of an organization and a SHA-256, never a question.
 */
export interface AnswerStore {
  /** The text of a name; `null` or `undefined` for none. */
  get(name: string): Promise<string | null | undefined>;
  /** Keeps a text for `ttlMs`, in place of an earlier one. `false` says that it did not, such as one too large; what else it resolves to does not matter. */
  set(name: string, text: string, ttlMs: number): Promise<unknown>;
}

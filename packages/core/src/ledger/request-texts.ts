/** What a call asked, and what came of it: kept beside its row in the log, for people who may read it. */
export interface RequestText {
  /** Of the call. */
  readonly requestId: string;
  /** The end of the call, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** The organization that pays. */
  readonly organizationId: string;
  /** The calling key. */
  readonly keyId: string;
  /** The caller's label of the call. */
  readonly tag: string | null;
  /** The query; behind it, on lines of their own, the caller's other texts: instructions, earlier messages, addresses, documents. */
  readonly question: string;
  /** The text of an answer; of other calls each entry of the reply as JSON, on a line of its own. `null` for a failure, and for vectors. */
  readonly answer: string | null;
  /** Whether the end of either is missing. */
  readonly isCut: boolean;
}

/** What is known of a text before its call ends. */
export type CapturedTexts = Pick<RequestText, 'tag' | 'question' | 'answer' | 'isCut'>;

/** What texts take in memory, about: their characters, and the objects around. */
export function bytesOfTexts({ question, answer }: Pick<RequestText, 'question' | 'answer'>): number {
  return 500 + 2 * (question.length + (answer?.length ?? 0));
}

/** Whose texts: those that fit every field that is given. */
export interface RequestTextOwner extends Pick<RequestText, 'organizationId'> {
  /** Of calls of this key. */
  readonly keyId?: string | undefined;
  /** Of calls with this label. */
  readonly tag?: string | undefined;
}

/** The questions and answers of calls, in a table of their own. What removes a call from the log removes its text. */
export interface RequestTexts {
  /** Keeps texts. One of a known request id is ignored. */
  append(texts: readonly RequestText[]): Promise<void>;
  /** The kept texts of these calls, in any order. @param requestIds at most 100. */
  find(requestIds: readonly string[]): Promise<readonly RequestText[]>;
  /** Removes a part of the texts of calls that ended before a time. @returns how many; 0 when none is left. */
  prune(beforeMs: number): Promise<number>;
  /** Removes all texts of an owner. @returns how many. */
  erase(owner: RequestTextOwner): Promise<number>;
}

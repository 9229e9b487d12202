/** A message of a conversation. */
export interface Message {
  readonly role: 'user' | 'assistant';
  /** As the caller wrote it, not blank. */
  readonly content: string;
}

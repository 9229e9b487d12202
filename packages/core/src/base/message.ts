/** A message of a conversation. */
export interface Message {
  /** Who said it: the person, or the model. */
  readonly role: 'user' | 'assistant';
  /** As the caller wrote it, not blank. */
  readonly content: string;
}

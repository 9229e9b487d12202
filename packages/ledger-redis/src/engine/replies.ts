/** What a script answers an operation: texts. */
export type Reply = readonly string[];

/** Whether it is that of one operation, and not a list of those. */
export function isReply(reply: readonly unknown[]): boolean {
  return !Array.isArray(reply[0]);
}

/** Clients may be configured to return buffers instead of strings. */
export function replyOf(reply: unknown): Reply {
  if (!Array.isArray(reply)) throw new TypeError(`expected an array from a script, found ${typeof reply}`);
  return reply.map((part) => String(part));
}

/** Replies by which a server says: nothing was done, and later, or on another node to which clients of a Cluster follow, it may be. */
const TRANSIENT = /^(?:READONLY|LOADING|CLUSTERDOWN|TRYAGAIN|ASK|MOVED|MASTERDOWN|BUSY|NOREPLICAS) /;
const REPLY = /^[A-Z]{2,} /;

/**
 * Whether what a client threw may pass by itself: the connection was lost or never there (what became of the script is unknown), or the server
 * says that it cannot work at the moment (surely nothing was done). Both clients give a server's reply as a message that begins with a word in
 * capitals; every other error is about the connection.
 */
export function isTransient(error: unknown): boolean {
  // A TypeError is about what was given to the client or came of it, which will be the same the next time.
  if (!(error instanceof Error) || error instanceof TypeError) return false;
  return TRANSIENT.test(error.message) || !REPLY.test(error.message);
}

/** Whether the server does not have the script of this hash, because it was restarted or its cache was flushed. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

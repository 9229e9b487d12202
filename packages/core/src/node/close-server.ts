import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export interface CloseServerOptions {
  /** How long responses may take to be sent, once every call has ended. Default 2,000. */
  readonly lastResponsesMs?: number | undefined;
}

/**
 * Stops a server of node:http or node:https in good order: it takes no new connections, every response from now on is the last one of its connection, and
 * what is still open behind the last call is closed after a moment. Callers that keep connections alive would keep the server open otherwise.
 *
 * @param calls settles when every call has ended: `gateway.close()`.
 * @returns a promise that resolves when the last connection is closed.
 */
export async function closeServer(
  server: Server,
  calls: Promise<unknown>,
  { lastResponsesMs = 2_000 }: CloseServerOptions = {},
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.prependListener('request', announceClose);
  try {
    await calls;
  } finally {
    // Those whose last response was sent before.
    server.closeIdleConnections();
    const cutOff = setTimeout(() => server.closeAllConnections(), lastResponsesMs);
    await closed;
    clearTimeout(cutOff);
    server.off('request', announceClose);
  }
}

function announceClose(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('connection', 'close');
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** How long a server may take to close. */
export interface CloseServerOptions {
  /** How long responses may take to be sent after every call has ended, in milliseconds. @default 2,000 */
  readonly lastResponsesMs?: number | undefined;
}

/**
 * Stops a server of node:http or node:https gracefully: refuses new connections, makes every further response the last response of its connection, and closes
 * open connections shortly after the last call. Otherwise keep-alive connections would keep the server open.
 *
 * @param calls a promise that settles when every call has ended: `gateway.close()`.
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
    // Connections whose last response was sent before.
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

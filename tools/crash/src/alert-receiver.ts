import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An alert as posted by a worker. */
export interface PostedAlert {
  readonly alertId: string;
  readonly subject: string;
  readonly threshold: string;
}

/** Receives the alerts of workers. */
export interface AlertReceiver {
  readonly url: string;
  readonly alerts: readonly PostedAlert[];
  /** Stops answering. @returns a function that resumes answering for new alerts. */
  hold(): () => void;
  /** Resolves when `count` alerts have arrived. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startAlertReceiver(): Promise<AlertReceiver> {
  const alerts: PostedAlert[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let isHeld = false;
  const server = createServer((req, res) => void take(req, res));

  async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    alerts.push(JSON.parse(await text(req)) as PostedAlert);
    for (const { count, resolve } of waiting) if (alerts.length >= count) resolve();
    if (!isHeld) res.end();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    alerts,
    hold() {
      isHeld = true;
      return () => (isHeld = false);
    },
    received: (count) =>
      alerts.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

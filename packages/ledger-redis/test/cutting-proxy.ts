import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and its server, and can lose a reply: the script was run, and its client does not learn of it. */
export interface CuttingProxy {
  readonly url: string;
  /** Lets the next script reach the server, keeps the reply back, and closes the connection. */
  loseNextReply(): void;
  /** How many replies were lost so far. */
  readonly lost: number;
  stop(): Promise<void>;
}

export async function startCuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let armed = false;
  let lost = 0;

  function join(client: Socket): void {
    const server = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      server.destroy();
      sockets.delete(client);
    };
    sockets.add(client);
    let losing = false;
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    client.on('data', (chunk: Buffer) => {
      if (armed && chunk.includes('EVALSHA')) {
        armed = false;
        losing = true;
      }
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (!losing) return void client.write(chunk);
      lost += 1;
      end();
    });
  }

  const listener = createServer(join).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `redis://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    loseNextReply() {
      armed = true;
    },
    get lost() {
      return lost;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

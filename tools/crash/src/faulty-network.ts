import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { SeededRandom } from './seeded-random.js';

/** A proxy to a server with faults like those of networks and failovers. */
export interface FaultyNetwork {
  /** The location of the server through the proxy. */
  readonly location: string;
  /** Number of faults so far. */
  readonly faults: Readonly<Record<Fault, number>>;
  /** From now on, one in `messages` messages to the server has a fault; 0 for no faults. */
  failOneIn(messages: number): void;
  close(): Promise<void>;
}

/**
 * The fault of a message: the message and its connection are lost; or the server gets the message, but the connection is cut before the reply, so
 * the client cannot know the outcome; or the message is delayed until the client has given up.
 */
export type Fault = 'requestLost' | 'replyLost' | 'heldUp';

const FAULTS: readonly Fault[] = ['requestLost', 'replyLost', 'heldUp'];

export interface FaultyNetworkOptions {
  /** Location of the server behind the proxy. */
  readonly location: string;
  readonly random: SeededRandom;
  readonly heldUpMs: number;
}

export async function startFaultyNetwork({ location, random, heldUpMs }: FaultyNetworkOptions): Promise<FaultyNetwork> {
  const target = new URL(location);
  const open = new Set<Socket>();
  const faults = { requestLost: 0, replyLost: 0, heldUp: 0 };
  let oneIn = 0;

  const fail: Readonly<Record<Fault, (client: Socket, server: Socket, message: Buffer) => void>> = {
    requestLost: (client) => client.destroy(),
    replyLost: (client, server, message) => server.write(message, () => client.destroy()),
    heldUp(client, server, message) {
      client.pause();
      setTimeout(() => {
        server.write(message);
        client.resume();
      }, heldUpMs);
    },
  };

  function connectThrough(client: Socket): void {
    const server = connect(Number(target.port), target.hostname);
    endTogether(open, client, server);
    server.on('data', (reply) => client.write(reply));
    client.on('data', (message) => {
      if (oneIn === 0 || !random.chance(1 / oneIn)) return void server.write(message);
      const fault = random.pick(FAULTS);
      faults[fault] += 1;
      fail[fault](client, server, message);
    });
  }

  const network = createServer(connectThrough);
  await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve));
  const url = new URL(location);
  url.port = String((network.address() as AddressInfo).port);
  return {
    location: url.href,
    faults,
    failOneIn(messages) {
      oneIn = messages;
    },
    close: () =>
      new Promise((resolve) => {
        network.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** Closes both connections when one closes. */
function endTogether(open: Set<Socket>, client: Socket, server: Socket): void {
  for (const socket of [client, server]) {
    open.add(socket);
    socket.setNoDelay(true);
    // The other side notices when its own connection closes.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      client.destroy();
      server.destroy();
    });
  }
}

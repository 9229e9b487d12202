import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { SeededRandom } from './seeded-random.js';

/** A way to a server that fails while it is used, as networks and failovers do. */
export interface FaultyNetwork {
  /** The location of the server, by this way. */
  readonly location: string;
  /** How often it failed so far. */
  readonly faults: Readonly<Record<Fault, number>>;
  /** From now on one in so many messages to the server meets with a fault; 0 for none. */
  failOneIn(messages: number): void;
  close(): Promise<void>;
}

/**
 * What happens to a message: it is lost with its connection; the server gets it, but its connection is cut before the reply, so that the
 * client cannot know whether it was done; it is delayed until the client no longer waits for it.
 */
export type Fault = 'requestLost' | 'replyLost' | 'heldUp';

const FAULTS: readonly Fault[] = ['requestLost', 'replyLost', 'heldUp'];

export interface FaultyNetworkOptions {
  /** Of the server behind it. */
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

/** Both ends of a connection end with the first of them, and are open until then. */
function endTogether(open: Set<Socket>, client: Socket, server: Socket): void {
  for (const socket of [client, server]) {
    open.add(socket);
    socket.setNoDelay(true);
    // The other end learns of it when its own connection ends.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      client.destroy();
      server.destroy();
    });
  }
}

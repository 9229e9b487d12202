import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Fault } from './faults.js';
import { type FaultScript, type Health, playFault, type RequestFault } from './play-fault.js';

/** A request that the upstream received. */
export interface RecordedRequest {
  /** In upper case. */
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** By lower-case names, as node gives them. */
  readonly headers: IncomingHttpHeaders;
  /** As text; empty for none. */
  readonly body: string;
}

/** Decides for each request; `index` counts all requests since the start, from 0. */
export type FaultChooser = (request: RecordedRequest, index: number) => RequestFault | Health;

/** An HTTP upstream on a loopback port with faults set by the test. */
export interface FaultUpstream {
  /** Base URL without a trailing slash; never changes. */
  readonly url: string;
  /** Every request received so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Number of connections accepted so far. */
  readonly connections: number;
  /**
   * Sets the fault of the next requests, permanently or for a number of `times`; afterwards the upstream is healthy.
   * `connection_refused` closes the port and all connections until another fault is set, so it cannot be limited to a number of times.
   */
  setFault(fault: Fault | Health | FaultChooser, limit?: { readonly times: number }): Promise<void>;
  /**
   * Resolves once `count` requests have arrived and a client in this process has read the part of the response sent at once
   * (such as the headers of `headers_then_stall`). Then a fake clock may be moved.
   */
  served(count: number): Promise<void>;
  /** Closes the port and every connection. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Enough turns of the event loop for a client in this process to read freshly written bytes. */
const TURNS_TO_READ = 3;

/** Starts healthy, on a free port of 127.0.0.1. */
export async function startFaultUpstream(script: FaultScript): Promise<FaultUpstream> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  const arrivals = new EventEmitter();
  let connections = 0;
  let choose: FaultChooser = () => 'healthy';

  const server = createServer((request, response) => {
    readRecord(request, (record) => {
      const fault = choose(record, requests.length);
      requests.push(record);
      playFault(fault, response, script);
      arrivals.emit('arrival');
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  async function listen(port: number): Promise<void> {
    server.listen(port, HOST);
    await once(server, 'listening');
  }

  async function stop(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
    await turns(TURNS_TO_READ);
  }

  await listen(0);
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://${HOST}:${port}`,
    requests,
    get connections() {
      return connections;
    },
    async setFault(fault, limit) {
      if (fault === 'connection_refused') {
        if (limit !== undefined)
          throw new TypeError('connection_refused cannot be counted: the upstream sees no request');
        await stop();
        return;
      }
      choose = limited(typeof fault === 'function' ? fault : () => fault, limit?.times ?? Number.POSITIVE_INFINITY);
      if (!server.listening) await listen(port);
    },
    async served(count) {
      while (requests.length < count) await once(arrivals, 'arrival');
      await turns(TURNS_TO_READ);
    },
    close: stop,
  };
}

function limited(choose: FaultChooser, times: number): FaultChooser {
  let left = times;
  return (request, index) => {
    if (left <= 0) return 'healthy';
    left -= 1;
    return choose(request, index);
  };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

function readRecord(request: IncomingMessage, onRead: (record: RecordedRequest) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    onRead({ method, url, headers, body: Buffer.concat(chunks).toString('utf8') });
  });
}

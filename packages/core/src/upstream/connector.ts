import type { Socket } from 'node:net';
import type { buildConnector as ConnectorTypes } from 'undici';
import type { Clock } from '../base/time/clock.js';
import { readPastContinue } from './informational.js';
import { buildConnector } from './undici.js';

export interface ConnectorOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
}

/** Opens connections for undici within a time limit, and can give up connections that are not open yet. */
export interface Connector {
  readonly connect: ConnectorTypes.connector;
  /** Gives up every connection that is still opening. Undici's own `destroy` would wait for them. */
  destroy(): void;
}

/** Undici's own connector, but with a timer on the injected clock: undici's timer is coarse and uses real time. */
export function createConnector({ clock, connectTimeoutMs }: ConnectorOptions): Connector {
  // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would let anyone in between read the keys of providers.
  const open = buildConnector({ timeout: 0, allowH2: false, rejectUnauthorized: true }) as OpenSocket;
  const opening = new Set<Socket>();
  return {
    connect(options, callback) {
      const socket = open(options, (...outcome) => {
        cancelTimer();
        opening.delete(socket);
        callback(...outcome);
      });
      opening.add(socket);
      readPastContinue(socket);
      const cancelTimer = clock.schedule(
        connectTimeoutMs,
        () => socket.destroy(connectError('ETIMEDOUT', `no connection within ${connectTimeoutMs} ms`)),
        'background',
      );
    },
    destroy() {
      for (const socket of opening) socket.destroy(connectError('ECONNABORTED', 'closed while connecting'));
    },
  };
}

/** The connector returns the socket, which its declared type omits (undici 7.30.2, lib/core/connect.js, read 2026-11-21). */
type OpenSocket = (...args: Parameters<ConnectorTypes.connector>) => Socket;

function connectError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

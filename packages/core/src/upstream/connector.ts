import type { Socket } from 'node:net';
import type { buildConnector as ConnectorTypes } from 'undici';
import type { Clock } from '../base/time/clock.js';
import { readPastContinue } from './informational.js';
import { buildConnector } from './undici.js';

export interface ConnectorOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
}

/** Opens connections for undici, within a limit, and can give up those that are not open yet. */
export interface Connector {
  readonly connect: ConnectorTypes.connector;
  /** Gives up every connection that is still being opened; undici itself would wait for them when it is destroyed. */
  destroy(): void;
}

/** Undici's own connector with its timer, which is coarse and real, replaced by one on our clock. */
export function createConnector({ clock, connectTimeoutMs }: ConnectorOptions): Connector {
  // Said here, or NODE_TLS_REJECT_UNAUTHORIZED=0 would hand keys of providers to anyone on the way.
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

/** The declared type leaves out that the socket is returned (undici 7.30.2, lib/core/connect.js, read 2026-11-21). */
type OpenSocket = (...args: Parameters<ConnectorTypes.connector>) => Socket;

function connectError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

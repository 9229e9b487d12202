import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientGroup } from '../auth/client-address.js';

/** How many connections are open at once. */
export interface ProtectServerOptions {
  /** Most open connections. A client address (IPv6: network of 64 bits) has at most a quarter of them. @default 8,192 */
  readonly maxConnections?: number | undefined;
  /** Tells a proxy in front of the server by its address. Proxies have no share, because they bring the connections of many clients. @default no proxies */
  readonly isProxy?: ((address: string) => boolean) | undefined;
}

const HEADERS_TIMEOUT_MS = 10_000;
const MAX_HEADERS = 128;

/**
 * Protects a server of node:http or node:https against clients that open connections and never finish a request: limits connections, the number of headers
 * and the time for them (10 s). A full server takes the connection of an address with few, and closes the newest of the address with the most.
 *
 * Call it before `listen`. Choose the size of headers, and how often node looks for late ones, in `createServer`: `maxHeaderSize`,
 * `connectionsCheckingInterval`.
 */
export function protectServer(
  server: Server,
  { maxConnections = 8_192, isProxy = () => false }: ProtectServerOptions = {},
): void {
  const share = Math.max(1, Math.floor(maxConnections / 4));
  /** Open connections by group of addresses, without those of proxies. */
  const groups = new Map<string, Set<Socket>>();
  const ofProxies = new Set<Socket>();
  let open = 0;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.maxHeadersCount = MAX_HEADERS;
  // Node refuses without looking at the address, so this is for floods that arrive faster than refused connections close.
  server.maxConnections = 2 * maxConnections;

  /** Makes room for a connection of a group. */
  function hasRoom(own: Set<Socket>): boolean {
    if (own !== ofProxies && own.size >= share) return false;
    if (open < maxConnections) return true;
    let largest = own;
    for (const group of groups.values()) if (group.size > largest.size) largest = group;
    // Older connections are more likely to have a call under way.
    const newest = largest === own ? undefined : [...largest].at(-1);
    if (newest !== undefined) close(newest, largest);
    return newest !== undefined;
  }

  function close(socket: Socket, group: Set<Socket>): void {
    if (group.delete(socket)) open -= 1;
    socket.destroy();
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    const name = clientGroup(remoteAddress) ?? '';
    const group = isProxy(remoteAddress) ? ofProxies : (groups.get(name) ?? new Set());
    if (!hasRoom(group)) {
      socket.destroy();
      return;
    }
    group.add(socket);
    open += 1;
    if (group !== ofProxies) groups.set(name, group);
    socket.once('close', () => {
      close(socket, group);
      if (group.size === 0 && groups.get(name) === group) groups.delete(name);
    });
  });
}

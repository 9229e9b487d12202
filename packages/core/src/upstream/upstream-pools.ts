import type { Dispatcher } from 'undici';
import { UpstreamError } from '../base/errors/upstream-error.js';
import type { Clock } from '../base/time/clock.js';
import type { Deadline } from '../base/time/deadline.js';
import { createConnector } from './connector.js';
import { Exchange } from './exchange.js';
import { checkUndici, Pool } from './undici.js';
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.js';

/**
 * How long an idle connection is kept when the server sends no hint. Node servers close an idle connection after 5 s (`keepAliveTimeout`, Node 20
 * to 26); closing it earlier avoids writing to a connection that the server is closing.
 */
const KEEP_ALIVE_TIMEOUT_MS = 4_000;
/** The longest idle time that a server's `keep-alive: timeout=` hint can ask for. Load balancers drop silent connections after about 60 s. */
const MAX_KEEP_ALIVE_TIMEOUT_MS = 55_000;
/** A safety limit for exchanges whose deadline was cleared; far above any model's timeout. */
const FAR_LIMIT_MS = 3_600_000;
/** Origins come from configuration. More origins than any configuration has show that an adapter builds hosts from requests. */
const MAX_ORIGINS = 256;
const DEFAULT_USER_AGENT = 'searchgate';

export interface UpstreamPoolsOptions {
  readonly clock: Clock;
  /** Largest reply body, compressed or not. */
  readonly maxUpstreamBytes: number;
  /** Longest wait for a connection, including TLS. The attempt's deadline applies too. */
  readonly connectTimeoutMs: number;
  /** Most connections of one provider to one origin. Further requests wait at the cost of their deadline, so attempts must be limited earlier. */
  readonly maxConnectionsPerOrigin: number;
  /** @default `searchgate` */
  readonly userAgent?: string;
}

/** Every connection of a gateway to its providers: one pool for each origin of each provider. */
export type UpstreamPools = ReturnType<typeof createUpstreamPools>;

/** Opens no connection before the first request. Never retries, never follows a redirect, uses no proxy. @throws ConfigurationError when undici cannot run. */
export function createUpstreamPools(options: UpstreamPoolsOptions) {
  checkUndici();
  const connector = createConnector(options);
  const pools = new Map<string, Pool>();
  const userAgent = options.userAgent ?? DEFAULT_USER_AGENT;
  let closing: Promise<void> | undefined;

  function poolFor({ origin, protocol }: URL, provider: string): Pool {
    const name = `${provider} ${origin}`;
    const known = pools.get(name);
    if (known !== undefined) return known;
    if (protocol !== 'https:' && protocol !== 'http:')
      throw new TypeError(`an upstream URL is http or https, not "${protocol}"`);
    if (pools.size >= MAX_ORIGINS)
      throw new RangeError(`more than ${MAX_ORIGINS} upstream origins: is a host built from requests?`);
    const pool = new Pool(origin, poolOptions(options, connector.connect));
    pools.set(name, pool);
    return pool;
  }

  function exchange(request: UpstreamRequest, deadline: Deadline, provider: string): Promise<UpstreamResponse> {
    return new Promise((resolve, reject) => {
      if (closing !== undefined)
        throw new UpstreamError('upstream_unreachable', { phase: 'connect', detail: 'the gateway is closing' });
      if (deadline.passed) throw new UpstreamError('upstream_timeout', { phase: 'connect' });
      const pool = poolFor(request.url, provider);
      const dispatchOptions = toDispatchOptions(request, userAgent);
      const handler = new Exchange({
        clock: options.clock,
        deadline,
        maxBytes: options.maxUpstreamBytes,
        onText: request.onText,
        isWhole: request.isWhole,
        onEnd: resolve,
        onError: reject,
      });
      pool.dispatch(dispatchOptions, handler);
    });
  }

  async function destroy(): Promise<void> {
    connector.destroy();
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  }

  return {
    /** Creates the client of one attempt. Cheap: it opens no connection yet. */
    open: (deadline: Deadline, provider = ''): UpstreamClient => ({
      send: (request) => exchange(request, deadline, provider),
    }),
    /** Refuses new requests and closes every connection. Requests in flight fail. */
    close: () => (closing ??= destroy()),
  };
}

function poolOptions(options: UpstreamPoolsOptions, connect: Pool.Options['connect'] & {}): Pool.Options {
  return {
    connect,
    connections: options.maxConnectionsPerOrigin,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_TIMEOUT_MS,
    maxResponseSize: options.maxUpstreamBytes,
    headersTimeout: FAR_LIMIT_MS,
    bodyTimeout: FAR_LIMIT_MS,
    pipelining: 1,
  };
}

/** Writes headers as a flat list: merging objects would be the slowest part of a request (about 7 of 35 µs). */
function toDispatchOptions(
  { url, method, headers, json, onText }: UpstreamRequest,
  userAgent: string,
): Dispatcher.DispatchOptions {
  const text = json === undefined ? null : JSON.stringify(json);
  const list = ['accept-encoding', 'identity'];
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? '');
  if (headers['accept'] === undefined) list.push('accept', 'application/json');
  if (headers['user-agent'] === undefined) list.push('user-agent', userAgent);
  if (json !== undefined) list.push('content-type', 'application/json');
  return {
    path: url.pathname + url.search,
    method,
    headers: list,
    body: text === null || onText === undefined ? text : ENCODER.encode(text),
  };
}

/**
 * For streams. Undici writes a string into a buffer of node's pool, and would keep 8 kB of the pool in memory until the stream ends. A separate buffer
 * takes longer to create, so plain calls do not use it.
 */
const ENCODER = new TextEncoder();

import type { Dispatcher } from 'undici';
import { UpstreamError } from '../base/errors/upstream-error.js';
import type { Clock } from '../base/time/clock.js';
import type { Deadline } from '../base/time/deadline.js';
import { createConnector } from './connector.js';
import { Exchange } from './exchange.js';
import { checkUndici, Pool } from './undici.js';
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.js';

/**
 * How long an unused connection is kept when the server gives no hint of its own. Node servers close an idle one after 5 s (`keepAliveTimeout`, Node 20
 * to 26); leaving first avoids writing into a closing one.
 */
const KEEP_ALIVE_TIMEOUT_MS = 4_000;
/** The longest idle time a server's own `keep-alive: timeout=` hint can buy; load balancers drop silent connections after about 60 s. */
const MAX_KEEP_ALIVE_TIMEOUT_MS = 55_000;
/** A net under exchanges that outlive their deadline object; far above any deadline of a model. */
const FAR_LIMIT_MS = 3_600_000;
/** Origins come from configuration; more of them than any configuration has means that an adapter builds hosts from requests. */
const MAX_ORIGINS = 256;
const DEFAULT_USER_AGENT = 'searchgate';

export interface UpstreamPoolsOptions {
  readonly clock: Clock;
  /** Largest reply body, compressed or not. */
  readonly maxUpstreamBytes: number;
  /** Longest wait for a connection, TLS included. The attempt's deadline holds as well. */
  readonly connectTimeoutMs: number;
  /** Most connections of one provider to one origin. Requests beyond them wait within their deadline, so the code that counts time bounds attempts before. */
  readonly maxConnectionsPerOrigin: number;
  /** Default `searchgate`. */
  readonly userAgent?: string;
}

/** Every connection of a gateway to its providers: one pool for each origin of each provider. */
export interface UpstreamPools {
  /** The way to providers for one attempt. Cheap: opens nothing by itself. */
  open(deadline: Deadline, provider?: string): UpstreamClient;
  /** Refuses new requests and closes every connection; a request that is still under way fails. */
  close(): Promise<void>;
}

/** Opens no connection before the first request. Never retries, never follows a redirect, knows no proxy. @throws ConfigurationError where undici cannot run. */
export function createUpstreamPools(options: UpstreamPoolsOptions): UpstreamPools {
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
    open: (deadline, provider = '') => ({ send: (request) => exchange(request, deadline, provider) }),
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

/** Headers as a flat list, because an object put together from several is the dearest part of a request (about 7 of 35 µs). */
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
 * For streams. Undici puts a string into a buffer of node's pool, and would keep 8 kB of that for as long as the stream comes. A buffer of its own
 * is dearer to make, which plain calls need not pay.
 */
const ENCODER = new TextEncoder();

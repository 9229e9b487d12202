import type { GatewayEvent, RequestFinished } from '@searchgate/core';
import { type Clock, formatUsd, oneLine } from '@searchgate/core/ledger';
import type { BodyWriter } from '@searchgate/core/node';
import type { Scope } from '../scope.js';
import type { ProviderEvent, RequestLine } from './contract.js';
import { COMMON_HEADERS, type Exchange, isoTime, type Routes } from './exchange.js';
import { Problem } from './problem.js';
import { toWire } from './wire-names.js';

const MAX_TAILS = 20;
/** Limit per viewer or operator. */
const MAX_OF_ONE = 5;
/** Limit of all viewers together, which leaves some tails for operators. */
const MAX_OF_VIEWERS = 15;
/** Limit of unsent events of a tail; the oldest are dropped. */
const MAX_BACKLOG = 500;
/** A tail waits while its reader has this much unread data. */
const MAX_BUFFERED_BYTES = 262_144;
/** Events of this interval are sent together, so that a busy gateway costs only a few writes a second. */
const FLUSH_MS = 250;
const KEEP_ALIVE_MS = 15_000;
/** After this time the page reconnects, which checks its permission again. */
const MAX_TAIL_MS = 900_000;

const HEADERS = {
  ...COMMON_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Streams the events of requests and providers to readers. */
export interface LiveTail {
  readonly routes: Routes;
  record(event: GatewayEvent): void;
  /** Ends every tail. */
  close(): void;
}

export function createLiveTail(clock: Clock): LiveTail {
  const tails = new Set<Tail>();

  /** @returns why another tail is refused, or `null`. */
  function refusalOf({ role, viewer }: Scope): string | null {
    const scopes = [...tails].map((tail) => tail.scope);
    if (scopes.filter((scope) => scope.viewer === viewer).length >= MAX_OF_ONE)
      return `You have ${MAX_OF_ONE} live tails already. Close one of them.`;
    const most = role === 'viewer' ? MAX_OF_VIEWERS : MAX_TAILS;
    const taken = role === 'viewer' ? scopes.filter((scope) => scope.role === role) : scopes;
    return taken.length >= most ? `There are ${most} live tails already. Try again later.` : null;
  }

  function open(scope: Scope, writer: BodyWriter): void {
    if (refusalOf(scope) !== null) {
      writer.end();
      return;
    }
    const tail = new Tail({ scope, writer, clock, onEnd: () => tails.delete(tail) });
    tails.add(tail);
    tail.start();
  }

  function GET({ scope }: Exchange) {
    for (const tail of tails) tail.endIfClosed();
    const refusal = refusalOf(scope);
    if (refusal !== null) throw new Problem(503, refusal);
    return { status: 200, headers: HEADERS, body: { pipeTo: (writer: BodyWriter) => open(scope, writer) } };
  }

  return {
    routes: { 'api/v1/events': { GET } },
    record(event) {
      for (const tail of tails) tail.offer(event);
    },
    close() {
      for (const tail of tails) tail.end();
    },
  };
}

interface TailOptions {
  readonly scope: Scope;
  readonly writer: BodyWriter;
  readonly clock: Clock;
  readonly onEnd: () => void;
}

/** One reader. */
class Tail {
  readonly #options: TailOptions;
  readonly #endsAtMs: number;
  #backlog: GatewayEvent[] = [];
  #dropped = 0;
  #cancelFlush: (() => void) | undefined;
  #cancelKeepAlive = (): void => undefined;

  get scope(): Scope {
    return this.#options.scope;
  }

  constructor(options: TailOptions) {
    this.#options = options;
    this.#endsAtMs = options.clock.monotonic() + MAX_TAIL_MS;
  }

  start(): void {
    this.#options.writer.write('retry: 2000\n\n');
    this.#keepAlive();
  }

  offer(event: GatewayEvent): void {
    if (!isShown(event, this.#options.scope)) return;
    if (this.#backlog.push(event) > MAX_BACKLOG) {
      this.#backlog.shift();
      this.#dropped += 1;
    }
    this.#cancelFlush ??= this.#options.clock.schedule(FLUSH_MS, () => this.#flush(), 'background');
  }

  endIfClosed(): void {
    if (this.#options.writer.isClosed) this.end();
  }

  end(): void {
    this.#cancelFlush?.();
    this.#cancelKeepAlive();
    this.#options.onEnd();
    if (!this.#options.writer.isClosed) this.#options.writer.end();
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    const { writer } = this.#options;
    if (this.#backlog.length === 0) return;
    // Pending events go out with the next event or keep-alive.
    if (writer.isClosed || writer.bufferedBytes > MAX_BUFFERED_BYTES) return;
    const dropped = this.#dropped === 0 ? '' : textOf('dropped', { count: this.#dropped });
    writer.write(dropped + this.#backlog.map(eventText).join(''));
    this.#backlog = [];
    this.#dropped = 0;
  }

  #keepAlive(): void {
    const { clock, writer } = this.#options;
    if (writer.isClosed || clock.monotonic() >= this.#endsAtMs) {
      this.end();
      return;
    }
    this.#cancelFlush?.();
    this.#flush();
    writer.write(': keep-alive\n\n');
    this.#cancelKeepAlive = clock.schedule(KEEP_ALIVE_MS, () => this.#keepAlive(), 'background');
  }
}

function isShown(event: GatewayEvent, scope: Scope): boolean {
  if (event.type === 'request_finished') return scope.has(event.organizationId);
  if (event.type !== 'provider_paused' && event.type !== 'provider_resumed') return false;
  return event.organizationId === null || scope.has(event.organizationId);
}

function eventText(event: GatewayEvent): string {
  if (event.type === 'request_finished') return textOf('request', requestLine(event));
  if (event.type !== 'provider_paused' && event.type !== 'provider_resumed') return '';
  const { provider, organizationId } = event;
  const reason = event.type === 'provider_paused' ? event.reason : null;
  const state = event.type === 'provider_paused' ? ('paused' as const) : ('resumed' as const);
  const line: ProviderEvent = toWire({ at: isoTime(event.atMs), provider, state, reason, organizationId });
  return textOf('provider', line);
}

function textOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${oneLine(JSON.stringify(data))}\n\n`;
}

/** Copies field by field: new fields of the event must not leak. */
function requestLine(event: RequestFinished): RequestLine {
  const { requestId, endpoint, status, reason, organizationId, keyId, provider, cache, attempts } = event;
  return toWire({
    at: isoTime(event.atMs),
    requestId,
    endpoint,
    status,
    reason,
    organizationId,
    keyId,
    model: event.model ?? event.requestedModel,
    provider,
    cost: event.cost === null ? null : formatUsd(event.cost),
    cache,
    attempts,
    durationMs: event.durationMs,
    firstContentMs: event.firstContentMs,
  });
}

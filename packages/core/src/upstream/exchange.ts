import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { UpstreamError } from '../base/errors/upstream-error.js';
import { GatheredBytes, maxPiecesOf } from '../base/gathered-pieces.js';
import type { Clock } from '../base/time/clock.js';
import type { Deadline } from '../base/time/deadline.js';
import { MAX_INFORMATIONAL } from './informational.js';
import { type ExchangePhase, transportFailure } from './transport-failure.js';
import type { UpstreamRequest, UpstreamResponse } from './upstream-client.js';

/** Longest wait for the end of a reply after its last event. The end usually comes with that event; after the wait, the connection is closed. */
const MAX_ENDING_MS = 1_000;

export interface ExchangeOptions extends Pick<UpstreamRequest, 'onText' | 'isWhole'> {
  readonly clock: Clock;
  /** Must not have passed yet. */
  readonly deadline: Deadline;
  readonly maxBytes: number;
  /** Exactly one of `onEnd` and `onError` is called, once. */
  onEnd(response: UpstreamResponse): void;
  onError(error: unknown): void;
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * One request and its reply, from the queue to the last byte: turns undici's callbacks into one outcome. It uses
 * callbacks instead of `pool.request`, because stream objects cost about a seventh of a whole request.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  /** The bytes of a body that is not handed over while it arrives. */
  readonly #bytes: GatheredBytes;
  readonly #maxPieces: number;
  #pieces = 0;
  readonly #stopWatching: () => void;
  #phase: ExchangePhase = 'connect';
  #status: number | null = null;
  #informational = 0;
  #headers: Headers = {};
  #controller: Dispatcher.DispatchController | undefined;
  /** Set for a body that is handed over while it arrives. */
  #decoder: StringDecoder | undefined;
  /** Set after the last event: cancels the wait for the end. */
  #stopEnding: (() => void) | undefined;
  #ended = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#bytes = new GatheredBytes(options.maxBytes);
    this.#maxPieces = maxPiecesOf(options.maxBytes);
    this.#stopWatching = options.deadline.onPass(() => this.#timeOut());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing, unlike aborting, keeps the connection for the next request: nothing has been written to it.
    if (this.#ended) throw new Error('the deadline passed before the request could be sent');
    this.#controller = controller;
    this.#phase = 'headers';
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) {
      this.#countInformational(controller);
      return;
    }
    this.#phase = 'body';
    this.#status = status;
    this.#headers = headers;
    // The buffers of undici's own copy would keep the first piece of the reply in memory until the reply ends.
    controller.rawHeaders = null;
    const announcedBytes = Number(this.#header('content-length') ?? 0);
    // The pool's maxResponseSize stops bodies that grow too large; a body with a too large `content-length` is not read at all.
    if (announcedBytes > this.#options.maxBytes) controller.abort(new Error(`a body of ${announcedBytes} bytes`));
    const isLive =
      this.#options.onText !== undefined && status < 300 && isPlain(this.#header('content-encoding') ?? '');
    if (isLive) this.#decoder = new StringDecoder('utf8');
  }

  /** Limits informational replies: an upstream that sends only those could keep the event loop busy until the deadline. */
  #countInformational(controller: Dispatcher.DispatchController): void {
    this.#informational += 1;
    if (this.#informational <= MAX_INFORMATIONAL) return;
    const detail = `more than ${MAX_INFORMATIONAL} informational replies`;
    this.#endWith(new UpstreamError('upstream_invalid_response', { phase: 'headers', detail }));
    controller.abort(new Error(detail));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#pieces += 1;
    // The pool's maxResponseSize keeps the bytes within their limit.
    if (this.#pieces > this.#maxPieces) controller.abort(new Error(`a body of more than ${this.#maxPieces} pieces`));
    else if (this.#decoder === undefined) this.#bytes.add(chunk);
    else this.#handOver(this.#decoder.write(chunk));
  }

  onResponseEnd(): void {
    if (this.#decoder !== undefined) {
      this.#handOver(this.#decoder.end());
      this.#succeed('');
      return;
    }
    const body = this.#bytes.take();
    const encoding = this.#header('content-encoding');
    if (encoding === undefined || isPlain(encoding) || body.length === 0) this.#succeedWith(body);
    else {
      void decompress(body, encoding, this.#options.maxBytes).then(
        (plain) => this.#succeedWith(plain),
        (error: unknown) => this.#fail(error as Error),
      );
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  /** Ends with a body that was not handed over while it arrived, for example because it was compressed. */
  #succeedWith(body: Buffer): void {
    const text = decodeText(body);
    const isWanted = this.#options.onText !== undefined && (this.#status ?? 0) < 300;
    if (isWanted) this.#handOver(text);
    this.#succeed(isWanted ? '' : text);
  }

  #handOver(piece: string): void {
    if (this.#ended || piece === '') return;
    try {
      const wanted = this.#options.onText?.(piece);
      if (wanted !== false) {
        if (wanted === 'ending' || this.#stopEnding !== undefined) this.#waitForEnd(wanted === 'ending');
        return;
      }
    } catch (error) {
      this.#endWith(error);
    }
    this.#leave();
  }

  /** Limits the wait after the last event, because some upstreams keep the connection open until the deadline. */
  #waitForEnd(isEnding: boolean): void {
    if (isEnding) {
      this.#stopEnding ??= this.#options.clock.schedule(MAX_ENDING_MS, () => this.#leave());
      return;
    }
    this.#stopEnding?.();
    this.#stopEnding = undefined;
  }

  /** Whether the part that has arrived is a whole reply, so that a later failure does not matter. */
  #isWhole(): boolean {
    return this.#stopEnding !== undefined || (this.#decoder !== undefined && this.#options.isWhole?.() === true);
  }

  /** Ends with the part that has arrived, and closes the connection. */
  #leave(): void {
    this.#succeed('');
    this.#controller?.abort(new Error('the reply is not wanted any more'));
  }

  #succeed(text: string): void {
    if (!this.#end()) return;
    this.#options.onEnd({ status: this.#status ?? 0, header: (name) => this.#header(name), text });
  }

  #fail(error: Error): void {
    if (this.#ended) return;
    // A connection that breaks after the last event has delivered the whole reply.
    if (this.#isWhole()) this.#succeed('');
    else this.#endWith(transportFailure(error, { phase: this.#phase, status: this.#status }));
  }

  #timeOut(): void {
    // A whole reply counts, even if the connection did not end in time.
    if (this.#isWhole()) {
      this.#leave();
      return;
    }
    this.#endWith(new UpstreamError('upstream_timeout', { phase: this.#phase, status: this.#status }));
    // Closes the connection. Undici 7.30.2 then opens a spare connection, which is closed when idle (nodejs/undici#5845, open on 2026-11-21).
    this.#controller?.abort(new Error('the deadline passed'));
  }

  #endWith(error: unknown): void {
    if (this.#end()) this.#options.onError(error);
  }

  /** @returns false if the exchange had already ended. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#stopWatching();
    this.#stopEnding?.();
    return true;
  }

  #header(name: string): string | undefined {
    const value = Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
    // Undici keeps blanks after a value, which do not belong to the value by RFC 9110 §5.5 (seen with 7.30.2 on 2026-11-23).
    return (typeof value === 'string' ? value : value?.[0])?.trim();
  }
}

type Decoder = (body: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Whether a reply is not compressed. Requests ask for `identity`, but some proxies compress regardless. */
function isPlain(contentEncoding: string): boolean {
  return contentEncoding === '' || contentEncoding.toLowerCase() === 'identity';
}

/**
 * Decompresses a reply with one content coding, outside the event loop.
 *
 * @throws Error for an unknown coding, a broken or cut stream, or more than `maxBytes` of output.
 */
export function decompress(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const decode = DECODERS.get(contentEncoding.toLowerCase());
  // Of an upstream that repeats a key, nothing longer is shown.
  const shown = contentEncoding.slice(0, 7);
  if (decode === undefined) return Promise.reject(new Error(`unknown content-encoding "${shown}"`));
  return decode(body, { maxOutputLength: maxBytes });
}

/** UTF-8, without a byte order mark; broken sequences become U+FFFD. */
export function decodeText(body: Buffer): string {
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

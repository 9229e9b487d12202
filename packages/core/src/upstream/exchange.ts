import type { Dispatcher } from 'undici';
import { UpstreamError } from '../errors/upstream-error.js';
import type { Deadline } from '../time/deadline.js';
import { decodeText, decompress, isPlain } from './decode-body.js';
import { MAX_INFORMATIONAL } from './informational.js';
import { type ExchangePhase, transportFailure } from './transport-failure.js';
import type { UpstreamResponse } from './upstream-client.js';

export interface ExchangeOptions {
  /** Not passed yet. */
  readonly deadline: Deadline;
  readonly maxBytes: number;
  /** Called exactly once. */
  onEnd(outcome: UpstreamResponse | UpstreamError): void;
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * One request and its reply, from the moment it is queued to its last byte: undici's callbacks on one side, one outcome on the
 * other. Callbacks and not `pool.request`, because stream objects cost about a seventh of a whole request.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #chunks: Buffer[] = [];
  readonly #stopWatching: () => void;
  #phase: ExchangePhase = 'connect';
  #status: number | null = null;
  #informational = 0;
  #headers: Headers = {};
  #controller: Dispatcher.DispatchController | undefined;
  #ended = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#stopWatching = options.deadline.onPass(() => this.#timeOut());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing, other than aborting, keeps the connection for the next request: nothing has been written to it.
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
    const announcedBytes = Number(this.#header('content-length') ?? 0);
    // The pool's maxResponseSize stops bodies that grow too large; one that says so itself is not even begun.
    if (announcedBytes > this.#options.maxBytes) controller.abort(new Error(`a body of ${announcedBytes} bytes`));
  }

  /** Each is a sign of life at most. An upstream that sends nothing else would keep the event loop busy up to the deadline. */
  #countInformational(controller: Dispatcher.DispatchController): void {
    this.#informational += 1;
    if (this.#informational <= MAX_INFORMATIONAL) return;
    const detail = `more than ${MAX_INFORMATIONAL} informational replies`;
    this.#end(new UpstreamError('upstream_invalid_response', { phase: 'headers', detail }));
    controller.abort(new Error(detail));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    const encoding = this.#header('content-encoding');
    if (encoding === undefined || isPlain(encoding) || body.length === 0) this.#succeed(body);
    else {
      void decompress(body, encoding, this.#options.maxBytes).then(
        (plain) => this.#succeed(plain),
        (error: unknown) => this.#fail(error as Error),
      );
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #succeed(body: Buffer): void {
    const status = this.#status ?? 0;
    this.#end({ status, header: (name) => this.#header(name), text: decodeText(body) });
  }

  #fail(error: Error): void {
    if (!this.#ended) this.#end(transportFailure(error, { phase: this.#phase, status: this.#status }));
  }

  #timeOut(): void {
    this.#end(new UpstreamError('upstream_timeout', { phase: this.#phase, status: this.#status }));
    // Closes the connection. Undici 7.30.2 then opens a spare one that is closed when idle (nodejs/undici#5845, open on 2026-11-21).
    this.#controller?.abort(new Error('the deadline passed'));
  }

  #end(outcome: UpstreamResponse | UpstreamError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopWatching();
    this.#options.onEnd(outcome);
  }

  #header(name: string): string | undefined {
    const value = Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
    return typeof value === 'string' ? value : value?.[0];
  }
}

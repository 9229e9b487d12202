import type { IncomingMessage } from 'node:http';
import { RequestError } from '../base/errors/request-error.js';
import { GatheredBytes } from '../base/gathered-bytes.js';
import type { BodyLimits } from '../http/gateway-request.js';

/**
 * Reads a body from the stream itself, which costs a fraction of what async iteration or a body parser does. A promise only where it is still to come.
 *
 * @throws RequestError `request_too_large`, `request_timeout`, `client_closed_request`.
 */
export function readNodeBody(req: IncomingMessage, limits: BodyLimits): Uint8Array | Promise<Uint8Array> {
  return hasArrived(req) ? takeArrived(req, limits) : new ArrivingBody(req, limits.maxBodyBytes).read(limits);
}

/**
 * Small bodies come with their headers, and are there as soon as the caller has been authenticated: all of their bytes, though Node may have yet
 * to say so.
 */
export function hasArrived(req: IncomingMessage): boolean {
  if (req.destroyed || req.readableEncoding !== null) return false;
  return req.complete || req.readableLength === Number(req.headers['content-length']);
}

function takeArrived(req: IncomingMessage, { maxBodyBytes }: BodyLimits): Uint8Array {
  if (req.readableLength > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const body = new GatheredBytes(maxBodyBytes);
  // One read takes all there is up to Node 24, and one chunk of it from Node 26 and Deno 2.9 on (seen 2026-11-22).
  do {
    const chunk = req.read() as Buffer | null;
    if (chunk !== null) body.add(chunk);
  } while (req.readableLength > 0);
  // Lets the stream end, which a connection that is kept alive waits for.
  if (!req.complete) req.resume();
  return body.take();
}

/** Chunks of one byte take six on the wire, and each may have an extension of 16 kB besides (Node 20 to 24, seen 2026-11-26). */
const WIRE_BYTES_PER_BYTE = 8;
/** Node reads as much at once, and what is behind the body may be in it. */
const SOCKET_READ_BYTES = 65_536;

/** Tells whether more has come over the wire than any body within the limit needs. Over HTTP/2 the connection has other streams. */
function wireGuard({ httpVersionMajor, socket }: IncomingMessage, maxBodyBytes: number): () => boolean {
  if (httpVersionMajor !== 1) return () => false;
  const most = socket.bytesRead + WIRE_BYTES_PER_BYTE * maxBodyBytes + SOCKET_READ_BYTES;
  return () => socket.bytesRead > most;
}

function tooLarge(maxBodyBytes: number): RequestError {
  return new RequestError('request_too_large', { details: { maxBodyBytes } });
}

/**
 * A body that is still to come, taken in from the beginning on. Node would keep it as a list of its pieces, up to 27,000 of one byte, which are 10 MB.
 * Leaves no listeners behind.
 */
export class ArrivingBody {
  readonly #req: IncomingMessage;
  readonly #bytes: GatheredBytes;
  readonly #isOverWire: () => boolean;
  readonly #maxBodyBytes: number;
  /** NaN where the caller does not say how long it is. */
  readonly #expected: number;
  #outcome: Uint8Array | RequestError | undefined;
  #onOutcome: (() => void) | undefined;

  constructor(req: IncomingMessage, maxBodyBytes: number) {
    this.#req = req;
    this.#bytes = new GatheredBytes(maxBodyBytes);
    this.#isOverWire = wireGuard(req, maxBodyBytes);
    this.#maxBodyBytes = maxBodyBytes;
    this.#expected = req.destroyed ? Number.NaN : Number(req.headers['content-length']);
    if (req.destroyed) this.#onGone();
    else req.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onGone).on('close', this.#onGone);
  }

  get hasArrived(): boolean {
    return this.#outcome !== undefined;
  }

  /** To be called once. The time is counted from here. A stream that is left early is paused. */
  read({ bodyTimeoutMs, clock }: BodyLimits): Uint8Array | Promise<Uint8Array> {
    if (this.#outcome instanceof Uint8Array) return this.#outcome;
    if (this.#outcome !== undefined) return Promise.reject(this.#outcome);
    return new Promise((resolve, reject) => {
      const cancelTimer = clock.schedule(bodyTimeoutMs, () => this.#end(new RequestError('request_timeout')));
      this.#onOutcome = () => {
        cancelTimer();
        if (this.#outcome instanceof RequestError) {
          this.#req.pause();
          reject(this.#outcome);
        } else if (this.#outcome !== undefined) resolve(this.#outcome);
      };
    });
  }

  readonly #onData = (chunk: Buffer | string): void => {
    // A host may have called `req.setEncoding`.
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (this.#isOverWire() || !this.#bytes.add(bytes)) this.#end(tooLarge(this.#maxBodyBytes));
    // Node says a moment later that this was all. Its stream has to end, which a connection that is kept alive waits for.
    else if (this.#bytes.length === this.#expected) {
      this.#end(this.#bytes.take());
      this.#req.resume();
    }
  };

  readonly #onEnd = (): void => this.#end(this.#bytes.take());

  readonly #onGone = (cause?: Error): void => this.#end(new RequestError('client_closed_request', { cause }));

  #end(outcome: Uint8Array | RequestError): void {
    this.#outcome = outcome;
    this.#req.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onGone).off('close', this.#onGone);
    if (this.#onOutcome !== undefined) this.#onOutcome();
    // What is still to come is thrown away, and not kept in its pieces.
    else if (!(outcome instanceof Uint8Array)) this.#req.resume();
  }
}

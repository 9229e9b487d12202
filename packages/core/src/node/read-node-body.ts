import type { IncomingMessage } from 'node:http';
import { RequestError } from '../base/errors/request-error.js';
import { GatheredBytes } from '../base/gathered-bytes.js';
import type { BodyLimits } from '../http/gateway-request.js';

/**
 * Reads a body from the stream, at a fraction of the cost of async iteration or a body parser. Returns a promise only if the body has not arrived yet.
 *
 * @throws RequestError `request_too_large`, `request_timeout`, `client_closed_request`.
 */
export function readNodeBody(req: IncomingMessage, limits: BodyLimits): Uint8Array | Promise<Uint8Array> {
  return hasArrived(req) ? takeArrived(req, limits) : new ArrivingBody(req, limits.maxBodyBytes).read(limits);
}

/**
 * Whether all bytes of a body have arrived, also if Node has not reported the end yet. Small bodies come with their headers, and so have usually arrived when
 * the caller has been authenticated.
 */
export function hasArrived(req: IncomingMessage): boolean {
  if (req.destroyed || req.readableEncoding !== null) return false;
  return req.complete || req.readableLength === Number(req.headers['content-length']);
}

function takeArrived(req: IncomingMessage, { maxBodyBytes }: BodyLimits): Uint8Array {
  if (req.readableLength > maxBodyBytes) throw tooLarge(maxBodyBytes);
  // A read returns all bytes up to Node 24, but a single chunk from Node 26 and Deno 2.9 on (seen 2026-11-22).
  const first = req.read() as Buffer | null;
  const body = first !== null && req.readableLength === 0 ? first : withOtherChunks(req, first, maxBodyBytes);
  // Lets the stream end, because a keep-alive connection waits for the end.
  if (!req.complete) req.resume();
  return body;
}

function withOtherChunks(req: IncomingMessage, first: Buffer | null, maxBodyBytes: number): Uint8Array {
  const body = new GatheredBytes(maxBodyBytes);
  if (first !== null) body.add(first);
  while (req.readableLength > 0) {
    const chunk = req.read() as Buffer | null;
    if (chunk !== null) body.add(chunk);
  }
  return body.take();
}

/** A chunk of one byte takes six bytes on the wire, and may have an extension of 16 kB (Node 20 to 24, seen 2026-11-26). */
const WIRE_BYTES_PER_BYTE = 8;
/** The size of a read from the socket, which may include bytes behind the body. */
const SOCKET_READ_BYTES = 65_536;

/** Returns a function that tells whether more bytes came over the wire than a body within the limit needs. Not over HTTP/2, whose connection has other streams. */
function wireGuard({ httpVersionMajor, socket }: IncomingMessage, maxBodyBytes: number): () => boolean {
  if (httpVersionMajor !== 1) return () => false;
  const most = socket.bytesRead + WIRE_BYTES_PER_BYTE * maxBodyBytes + SOCKET_READ_BYTES;
  return () => socket.bytesRead > most;
}

function tooLarge(maxBodyBytes: number): RequestError {
  return new RequestError('request_too_large', { details: { maxBodyBytes } });
}

/**
 * Collects a body while it arrives. Node would keep a list of its chunks: up to 27,000 chunks of one byte, which take 10 MB. Removes its listeners at the
 * end.
 */
export class ArrivingBody {
  readonly #req: IncomingMessage;
  readonly #bytes: GatheredBytes;
  readonly #isOverWire: () => boolean;
  readonly #maxBodyBytes: number;
  /** The length of the body in bytes; NaN if the caller does not tell the length. */
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

  /** Call once. The time limit begins here. Pauses a stream that was not read to its end. */
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
    // Chunks are texts if the host called `req.setEncoding`.
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (this.#isOverWire() || !this.#bytes.add(bytes)) this.#end(tooLarge(this.#maxBodyBytes));
    // All bytes are here before Node reports the end. The stream must end, because a keep-alive connection waits for the end.
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
    // Discards further chunks instead of buffering them.
    else if (!(outcome instanceof Uint8Array)) this.#req.resume();
  }
}

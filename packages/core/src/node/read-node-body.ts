import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors/request-error.js';
import type { BodyLimits } from '../http/gateway-request.js';

/**
 * Reads a body from the stream itself, which costs a fraction of what async iteration or a body parser does. A promise only where it is still to come.
 *
 * @throws RequestError `request_too_large`, `request_timeout`, `client_closed_request`.
 */
export function readNodeBody(req: IncomingMessage, limits: BodyLimits): Uint8Array | Promise<Uint8Array> {
  return hasArrived(req) ? takeArrived(req, limits) : awaitBody(req, limits);
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
  const chunks: Buffer[] = [];
  // One read takes all there is up to Node 24, and one chunk of it from Node 26 and Deno 2.9 on (seen 2026-11-22).
  do {
    const chunk = req.read() as Buffer | null;
    if (chunk !== null) chunks.push(chunk);
  } while (req.readableLength > 0);
  // Lets the stream end, which a connection that is kept alive waits for.
  if (!req.complete) req.resume();
  return join(chunks);
}

function join(chunks: readonly Buffer[]): Uint8Array {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function tooLarge(maxBodyBytes: number): RequestError {
  return new RequestError('request_too_large', { details: { maxBodyBytes } });
}

/** Leaves the stream paused when it stops early, and without listeners of ours in every case. */
function awaitBody(req: IncomingMessage, { maxBodyBytes, bodyTimeoutMs, clock }: BodyLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let byteLength = 0;

    function onData(chunk: Buffer | string): void {
      // A host may have called `req.setEncoding`.
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      byteLength += bytes.byteLength;
      if (byteLength > maxBodyBytes) fail(tooLarge(maxBodyBytes));
      else chunks.push(bytes);
    }

    function onEnd(): void {
      stop();
      resolve(join(chunks));
    }

    function onGone(cause?: Error): void {
      fail(new RequestError('client_closed_request', { cause }));
    }

    function fail(error: RequestError): void {
      stop();
      req.pause();
      reject(error);
    }

    function stop(): void {
      cancelTimer();
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    }

    const cancelTimer = clock.schedule(bodyTimeoutMs, () => {
      fail(new RequestError('request_timeout'));
    });
    if (req.destroyed) onGone();
    else req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors.js';
import type { BodyLimits } from '../http/gateway-request.js';

/**
 * Reads a body from the stream itself: listeners cost a fraction of what async iteration or a body parser does. The stream is left
 * paused when reading ends early, and without listeners of ours in every case.
 *
 * @throws RequestError `request_too_large`, `request_timeout`, `client_closed_request`.
 */
export function readNodeBody(
  req: IncomingMessage,
  { maxBodyBytes, bodyTimeoutMs, clock }: BodyLimits,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let byteLength = 0;

    function onData(chunk: Buffer | string): void {
      // A host may have called `req.setEncoding`.
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      byteLength += bytes.byteLength;
      if (byteLength > maxBodyBytes) fail(new RequestError('request_too_large', { details: { maxBodyBytes } }));
      else chunks.push(bytes);
    }

    function onEnd(): void {
      stop();
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, byteLength));
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

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { BodyWriter, StreamedBody } from '../http/gateway-request.js';

/** Node's response with what may be on it besides. */
type Response = ServerResponse & {
  /** Compression middleware keeps what it gets until it has enough, unless it is asked to pass it on. */
  flush?: () => void;
  /** Of HTTP/2, whose responses do not say that they have been closed. */
  readonly stream?: { readonly destroyed: boolean };
};

/** Writes a body straight to node's response. */
export function responseWriter(res: Response): BodyWriter {
  return {
    write(text) {
      if (res.destroyed || res.writableEnded) return;
      res.write(text);
      res.flush?.();
    },
    end() {
      if (!res.destroyed && !res.writableEnded) res.end();
    },
    destroy: () => void res.destroy(),
    get bufferedBytes() {
      return res.writableLength;
    },
    get isClosed() {
      return isGone(res);
    },
  };
}

/** A body as a stream, for frameworks that write responses themselves. The response tells how much of it has not been sent. */
export function readableBody(body: StreamedBody, res: Response): Readable {
  // Nothing is fetched on demand: parts come when they come.
  const readable = new Readable({ read: () => undefined });
  body.pipeTo({
    write(text) {
      if (readable.destroyed) return;
      readable.push(text);
      res.flush?.();
    },
    end: () => void readable.push(null),
    destroy: () => void res.destroy(),
    get bufferedBytes() {
      return readable.readableLength + res.writableLength;
    },
    get isClosed() {
      return isGone(res) || (readable.destroyed && !readable.readableEnded);
    },
  });
  return readable;
}

/** For a body that no one waits for, because the host has answered in our place. */
export const NO_READER: BodyWriter = {
  write: () => undefined,
  end: () => undefined,
  destroy: () => undefined,
  bufferedBytes: 0,
  isClosed: true,
};

/** Node destroys responses that have been sent whole too; a stream of HTTP/2 that was reset counts as finished. */
function isGone({ destroyed, stream, writableEnded, writableFinished }: Response): boolean {
  return stream === undefined ? destroyed && !writableFinished : stream.destroyed && !writableEnded;
}

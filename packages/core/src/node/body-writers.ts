import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { BodyWriter, StreamedBody } from '../http/gateway-request.js';

/** Compression middleware keeps what it gets until it has enough, unless it is asked to pass it on. */
interface Flushable {
  flush?: () => void;
}

/** Writes a body straight to node's response. */
export function responseWriter(res: ServerResponse & Flushable): BodyWriter {
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
      return res.destroyed || (res.closed && !res.writableEnded);
    },
  };
}

/** A body as a stream, for frameworks that write responses themselves. The response tells how much of it has not been sent. */
export function readableBody(body: StreamedBody, res: ServerResponse & Flushable): Readable {
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
      return res.destroyed || (readable.destroyed && !readable.readableEnded);
    },
  });
  return readable;
}

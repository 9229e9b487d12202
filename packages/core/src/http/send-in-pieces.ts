import { setImmediate } from 'node:timers/promises';
import type { HandlerDeps, HttpExchange } from './endpoint.js';
import {
  type BodyWriter,
  commonHeaders,
  type GatewayResponse,
  JSON_UTF8,
  type StreamedBody,
} from './gateway-request.js';

interface ResponseInPieces {
  readonly requestId: string;
  /** In addition to those of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text. The next piece is made when the last has been handed over. */
  readonly pieces: Iterable<string>;
}

/** Most bytes that wait for a slow caller before the next piece is made. */
const MAX_WAITING_BYTES = 262_144;
const PAUSE_MS = 10;

/**
 * Sends a response that is too long to be written in one turn of the event loop: other calls go on between pieces, and the text is never in memory whole. A
 * caller who is still reading when the gateway has closed is disconnected.
 *
 * @returns the response, when all has been handed over, or the caller has gone away.
 */
export async function sendInPieces(
  { requestId, headers, pieces }: ResponseInPieces,
  exchange: Pick<HttpExchange, 'begin' | 'stream'>,
  { clock, admission }: Pick<HandlerDeps, 'clock' | 'admission'>,
): Promise<GatewayResponse> {
  const own = { 'content-type': JSON_UTF8, 'cache-control': 'no-store', ...commonHeaders(requestId), ...headers };
  let toWriter: StreamedBody['pipeTo'] = () => undefined;
  const opened = new Promise<BodyWriter>((resolve) => (toWriter = resolve));
  const response: GatewayResponse = { status: 200, headers: own, body: { pipeTo: (writer) => toWriter(writer) } };
  exchange.begin(response);
  const writer = await opened;
  exchange.stream = {
    hasStarted: true,
    get isAbandoned() {
      return writer.isClosed;
    },
    fail() {
      writer.destroy();
      return response;
    },
  };
  for (const piece of pieces) {
    writer.write(piece);
    await setImmediate();
    while (writer.bufferedBytes > MAX_WAITING_BYTES && !writer.isClosed) {
      if (admission.isStopped) {
        writer.destroy();
        return response;
      }
      await new Promise<void>((resolve) => void clock.schedule(PAUSE_MS, resolve));
    }
    if (writer.isClosed) return response;
  }
  writer.end();
  return response;
}

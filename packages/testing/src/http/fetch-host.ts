import { type ArrivingBody, arrivingBody } from './arriving-body.js';
import type { Exchange, HttpUnderTest, WireBody, WireRequest, WireResponse } from './wire.js';

type FetchHandler = (request: Request) => Promise<Response>;

/** Calls a Web `fetch` handler with `Request` objects, in memory, as a server would. */
export function fetchHost(handler: FetchHandler): HttpUnderTest {
  return { send: (request) => send(handler, request), stop: () => Promise.resolve() };
}

function send(handler: FetchHandler, { method, target, headers, body }: WireRequest): Exchange {
  const caller = new AbortController();
  const { signal } = caller;
  const content = body === null ? {} : { body: streamOf(body, signal), duplex: 'half' as const };
  const allHeaders = { ...headers, ...announcedLength(body) };
  const request = new Request(`http://gateway.test${target}`, { method, headers: allHeaders, signal, ...content });
  const arriving = arrivingBody();
  const response = handler(request).then((answer) => collect(answer, arriving, signal));
  // Avoids an unhandled rejection: a case that disconnects checks it later.
  response.catch(() => undefined);
  return {
    response,
    received: (text) => arriving.received(text),
    disconnect() {
      caller.abort();
      return Promise.resolve();
    },
  };
}

/** Stops reading the body when the caller disconnects, as a server does. */
async function collect(response: Response, arriving: ArrivingBody, signal: AbortSignal): Promise<WireResponse> {
  signal.throwIfAborted();
  const { status, headers, body } = response;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body?.getReader();
  const stop = () => void reader?.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop);
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    signal.throwIfAborted();
    if (done) break;
    arriving.push(value);
  }
  return { status, headers: Object.fromEntries(headers), body: arriving.bytes() };
}

function announcedLength(body: WireBody | null): Record<string, string> {
  if (body === null || body.framing === 'chunked' || body.stalls) return {};
  return { 'content-length': String(body.chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)) };
}

function streamOf({ chunks, stalls }: WireBody, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      if (!stalls) controller.close();
      else signal.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
}

import type { Exchange, HttpUnderTest, WireBody, WireRequest, WireResponse } from './wire.js';

type FetchHandler = (request: Request) => Promise<Response>;

/** Calls a Web `fetch` handler with `Request` objects, in memory, as a server would. */
export function fetchHost(handler: FetchHandler): HttpUnderTest {
  return {
    send: (request) => send(handler, request),
    stop: () => Promise.resolve(),
  };
}

function send(handler: FetchHandler, { method, target, headers, body }: WireRequest): Exchange {
  const caller = new AbortController();
  const { signal } = caller;
  const content = body === null ? {} : { body: streamOf(body, signal), duplex: 'half' as const };
  const allHeaders = { ...headers, ...announcedLength(body) };
  const request = new Request(`http://gateway.test${target}`, { method, headers: allHeaders, signal, ...content });
  const response = handler(request).then((answer) => {
    signal.throwIfAborted();
    return collect(answer);
  });
  // A case that disconnects looks at the rejection later.
  response.catch(() => undefined);
  return {
    response,
    disconnect() {
      caller.abort();
      return Promise.resolve();
    },
  };
}

async function collect(response: Response): Promise<WireResponse> {
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: Buffer.from(await response.arrayBuffer()) };
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

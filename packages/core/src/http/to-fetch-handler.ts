import { RequestError } from '../base/errors/request-error.js';
import { GatheredBytes } from '../base/gathered-bytes.js';
import {
  type BodyLimits,
  type GatewayRequest,
  type GatewayResponse,
  isStreamed,
  type MountableGateway,
  type RequestBody,
  type StreamedBody,
} from './gateway-request.js';
import { checkMount, stripMountPath } from './mount-path.js';

export interface FetchHandlerOptions {
  /** Where the gateway is mounted, such as `/search`. Default: at the root. */
  readonly prefix?: string | undefined;
  /** Handles requests to other paths than the gateway's. Default: a 404 without a body. */
  readonly otherwise?: ((request: Request) => Response | Promise<Response>) | undefined;
}

/**
 * A gateway as a Web `fetch` handler: for Hono, Next, Bun, Deno and other hosts with `Request` and `Response`. On Express and
 * Koa use their own adapters, which cost a fraction of the CPU time.
 *
 * The body must not have been read before. The gateway's `authenticate` gets the `Request` as `host`. @throws ConfigurationError for no gateway or wrong options.
 */
export function toFetchHandler(
  gateway: MountableGateway<Request>,
  options: FetchHandlerOptions = {},
): (request: Request) => Promise<Response> {
  checkMount(gateway, options, ['prefix', 'otherwise']);
  const strip = stripMountPath(options.prefix);
  const otherwise = options.otherwise ?? notFound;

  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const path = strip(pathname);
    const response = path === null ? undefined : await gateway.handle(toGatewayRequest(request, path, search.slice(1)));
    return response === undefined ? otherwise(request) : toWebResponse(response);
  };
}

/**
 * After the body was read, the request's signal does not show whether the caller is there: Nitro 3 then aborts it (seen with 3.0.0 on 2026-11-26). So a
 * whole answer is finished and charged; a stream learns from its `cancel` that the caller has gone.
 */
function toGatewayRequest(request: Request, path: string, query: string): GatewayRequest<Request> {
  let isRead = false;
  return {
    method: request.method,
    path,
    query,
    host: request,
    header: (name) => request.headers.get(name) ?? undefined,
    async readBody(limits) {
      const body = await readBody(request, limits);
      isRead = true;
      return body;
    },
    get disconnected() {
      return !isRead && request.signal.aborted;
    },
  };
}

function toWebResponse({ status, headers, body }: GatewayResponse): Response {
  return new Response(isStreamed(body) ? webStream(body) : body, { status, headers });
}

/** A stream that buffers unread parts; the body stops writing when they are too many. */
function webStream(body: StreamedBody): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOpen = true;
  let isGone = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body.pipeTo({
          write(text) {
            if (isOpen) controller.enqueue(encoder.encode(text));
          },
          end() {
            if (isOpen) controller.close();
            isOpen = false;
          },
          destroy() {
            if (isOpen) controller.error(new Error('the answer was not read in time'));
            isOpen = false;
          },
          get bufferedBytes() {
            return 0 - (controller.desiredSize ?? 0);
          },
          get isClosed() {
            return isGone;
          },
        });
      },
      cancel() {
        isGone = isOpen;
        isOpen = false;
      },
    },
    { highWaterMark: 0, size: (chunk) => chunk.byteLength },
  );
}

function notFound(): Response {
  return new Response(null, { status: 404 });
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

async function readBody(request: Request, limits: BodyLimits): Promise<RequestBody> {
  if (request.bodyUsed)
    throw new Error('the request body was read before the gateway got it: mount the gateway first, or pass a clone');
  if (request.body === null) return { bytes: new Uint8Array() };
  const reader: BodyReader = request.body.getReader();
  let cancelTimer = (): void => undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    cancelTimer = limits.clock.schedule(limits.bodyTimeoutMs, () => {
      reject(new RequestError('request_timeout'));
    });
  });
  try {
    return { bytes: await Promise.race([readAll(reader, limits.maxBodyBytes), timedOut]) };
  } catch (error) {
    // The rest of the body is not needed, and a failure to cancel it does not matter.
    reader.cancel(error).catch(() => undefined);
    throw error;
  } finally {
    cancelTimer();
  }
}

async function readAll(reader: BodyReader, maxBodyBytes: number): Promise<Uint8Array> {
  const body = new GatheredBytes(maxBodyBytes);
  for (;;) {
    const { done, value } = await nextChunk(reader);
    if (done) return body.take();
    if (!body.add(value)) throw new RequestError('request_too_large', { details: { maxBodyBytes } });
  }
}

/** A broken body means that the caller has gone away. */
async function nextChunk(reader: BodyReader) {
  try {
    return await reader.read();
  } catch (error) {
    throw new RequestError('client_closed_request', { cause: error });
  }
}

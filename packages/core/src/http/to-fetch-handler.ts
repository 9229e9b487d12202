import { RequestError } from '../base/errors/request-error.js';
import { GatheredBytes } from '../base/gathered-pieces.js';
import {
  type BodyLimits,
  type BodyWriter,
  type Delivery,
  type GatewayRequest,
  type GatewayResponse,
  isStreamed,
  type MountableGateway,
  type ReplyListener,
  type RequestBody,
} from './gateway-request.js';
import { checkMount, isCalledBy, stripMountPath } from './mount-path.js';

/** Where the handler is mounted, and who answers other paths. */
export interface FetchHandlerOptions {
  /** Where the gateway is mounted, such as `/search`. @default at the root */
  readonly prefix?: string | undefined;
  /** Handles requests to other paths than the gateway's. @default a 404 without a body */
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

  return async (request, ...others: unknown[]) => {
    const { get } = (request.headers as Partial<Headers> | undefined) ?? {};
    if (!isCalledBy('fetch', [get], others)) return notFound();
    const { pathname, search } = new URL(request.url);
    const path = strip(pathname);
    const asked = path === null ? null : toGatewayRequest(request, path, search.slice(1));
    const response = asked === null ? undefined : await gateway.handle(asked);
    if (response !== undefined) return toWebResponse(response, asked?.reply);
    asked?.reply?.over();
    return otherwise(request);
  };
}

interface FollowedRequest extends GatewayRequest<Request> {
  reply?: ReplyListener;
}

/**
 * After the body was read, the request's signal does not show whether the caller is there: Nitro 3 then aborts it (seen with 3.0.0 on 2026-11-26). So a
 * whole answer is finished and charged; a stream learns from its `cancel` that the caller has gone.
 */
function toGatewayRequest(request: Request, path: string, query: string): FollowedRequest {
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
    follow(reply) {
      this.reply = reply;
    },
  };
}

function toWebResponse({ status, headers, body }: GatewayResponse, reply: ReplyListener | undefined): Response {
  const isLong = Number(headers['content-length']) > PIECE_BYTES;
  if (body !== null && (isStreamed(body) || isLong)) {
    const stream = new WebBody(reply);
    if (isStreamed(body)) body.pipeTo(stream);
    else {
      stream.write(body);
      stream.end();
    }
    reply?.watch(stream);
    return new Response(stream.readable, { status, headers });
  }
  // The buffers of a connection take a short body at once.
  reply?.over();
  return new Response(body as string | Uint8Array<ArrayBuffer> | null, { status, headers });
}

/** The most that is counted as read at once. */
const PIECE_BYTES = 65_536;
const encoder = new TextEncoder();

/** A stream that buffers unread parts, and is sent when its end is read. A streamed body stops writing when the unread parts are too many. */
class WebBody implements BodyWriter, Delivery {
  readonly readable: ReadableStream<Uint8Array>;
  readonly isBehindOther = false;
  writtenBytes = 0;
  isClosed = false;
  isOver = false;
  #hasEnded = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #reply: ReplyListener | undefined;

  constructor(reply: ReplyListener | undefined) {
    this.#reply = reply;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#closeIfRead(),
        cancel: () => this.#finish(!this.#hasEnded),
      },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    );
  }

  write(part: string | Uint8Array): void {
    if (this.isOver || this.#hasEnded) return;
    const bytes = typeof part === 'string' ? encoder.encode(part) : part;
    this.writtenBytes += bytes.length;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      this.#controller?.enqueue(bytes.subarray(at, at + PIECE_BYTES));
  }

  end(): void {
    this.#hasEnded = true;
    this.#closeIfRead();
  }

  destroy(): void {
    if (this.isOver) return;
    this.#controller?.error(new Error('the answer was not read in time'));
    this.#finish(true);
  }

  get bufferedBytes(): number {
    return 0 - (this.#controller?.desiredSize ?? 0);
  }

  #closeIfRead(): void {
    if (this.isOver || !this.#hasEnded || this.bufferedBytes > 0) return;
    this.#controller?.close();
    this.#finish(false);
  }

  #finish(isClosed: boolean): void {
    this.isClosed = isClosed;
    this.isOver = true;
    this.#reply?.over();
  }
}

function notFound(): Response {
  return new Response(null, { status: 404 });
}

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

async function readBody(request: Request, limits: BodyLimits): Promise<RequestBody> {
  if (request.bodyUsed || request.body?.locked) return { parsed: undefined };
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

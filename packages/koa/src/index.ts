import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  checkMount,
  isCalledBy,
  type MountableGateway,
  type NodeResponse,
  nodeResponse,
  stripMountPath,
} from '@searchgate/core/node';

/** The fields of Koa's context that the adapter reads; the same in Koa 2 and 3. */
interface GatewayContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  readonly querystring: string;
  /** Body parsers store the parsed body here. */
  readonly request: { readonly body?: unknown };
  /** The caller's address, resolved by the application's `proxy`; empty if unknown. */
  readonly ip: string;
  readonly headerSent: boolean;
  set(headers: Readonly<Record<string, string>>): void;
  status: number;
  body: unknown;
  respond?: boolean;
}

/**
 * Fits `app.use` of Koa 2 and 3, `koa-mount` and `@koa/router`. `Ctx` is only as narrow as the gateway's `authenticate` needs: a narrower context
 * would leak into the type of the application's own context.
 */
export type GatewayRouter<Ctx extends object = object> = (ctx: Ctx, next: () => Promise<unknown>) => Promise<void>;

/** Where the router is mounted. */
export interface GatewayRouterOptions {
  /**
   * The mount path of the gateway, such as `/search`. Needed if the path still contains it: with `app.use` and inside `router.all('/search/{*rest}', …)`, but
   * not inside `koa-mount`, which strips it.
   *
   * @default none
   */
  readonly prefix?: string;
}

/**
 * Mounts a gateway: `app.use(gatewayRouter(gateway))`, or `app.use(gatewayRouter(gateway, { prefix: '/search' }))`. Works before and after
 * a body parser. Other requests go on to the host's other middleware. The gateway answers its own errors, all through `ctx.status`, `ctx.set`
 * and `ctx.body`, so earlier middleware works as around any other route: sessions, compression, headers set after `await next()`. The
 * gateway's `authenticate` gets `ctx` as `host`.
 *
 * @throws ConfigurationError for an object that is not a gateway, and for invalid options.
 */
export function gatewayRouter<Ctx extends object>(
  gateway: MountableGateway<Ctx>,
  options: GatewayRouterOptions = {},
): GatewayRouter<Ctx> {
  checkMount(gateway, options, ['prefix']);
  const strip = stripMountPath(options.prefix);

  return async (context, next) => {
    const ctx = context as Ctx & GatewayContext;
    const { req, res, querystring, request } = ctx;
    if (!isCalledBy('koa', [(res as Partial<ServerResponse> | undefined)?.writeHead, next], [ctx, next])) return;
    const path = strip(ctx.path);
    if (path === null) {
      await next();
      return;
    }
    const target = querystring === '' ? path : `${path}?${querystring}`;
    const call = { req, res, target, parsedBody: request.body, clientAddress: () => ctx.ip };
    const response = await nodeResponse(gateway, call, ctx);
    if (response === undefined) await next();
    else respond(ctx, response);
  };
}

function respond(ctx: GatewayContext, { status, headers, body }: NodeResponse): void {
  if (ctx.headerSent) {
    // Middleware, such as a time limit of the host, has answered without Koa. Koa must not add a body.
    ctx.respond = false;
    // Else the unread stream would be buffered until the answer ends.
    if (typeof body === 'object' && body !== null && 'destroy' in body) body.destroy();
    return;
  }
  ctx.status = status;
  ctx.set(headers);
  // `null` would make Koa send a 204. HEAD and 304 keep their status and headers.
  if (body !== null) ctx.body = body;
}

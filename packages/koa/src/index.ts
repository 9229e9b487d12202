import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  checkMount,
  type MountableGateway,
  type NodeResponse,
  nodeResponse,
  stripMountPath,
} from '@searchgate/core/node';

/** Koa's context as far as it matters here; Koa 2 and 3 both hand over more. */
interface GatewayContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  readonly querystring: string;
  /** Body parsers put what they parsed into its `body`. */
  readonly request: { readonly body?: unknown };
  /** The caller's address, behind proxies as the application's `proxy` says; empty where it is not known. */
  readonly ip: string;
  readonly headerSent: boolean;
  set(headers: Readonly<Record<string, string>>): void;
  status: number;
  body: unknown;
  respond?: boolean;
}

/**
 * Fits `app.use` of Koa 2 and 3, `koa-mount` and `@koa/router`. A context is always Koa's; a closer type would only become part of the
 * application's own, so it is no closer than what the gateway's `authenticate` asks for.
 */
export type GatewayRouter<Ctx extends object = object> = (ctx: Ctx, next: () => Promise<unknown>) => Promise<void>;

export interface GatewayRouterOptions {
  /**
   * The path the gateway is mounted under, such as `/search`. Needed wherever the path keeps it: with `app.use` and inside
   * `router.all('/search/{*rest}', …)`, but not inside `koa-mount`, which takes it off. Default: none.
   */
  readonly prefix?: string;
}

/**
 * Mounts a gateway: `app.use(gatewayRouter(gateway))`, or `app.use(gatewayRouter(gateway, { prefix: '/search' }))`. Works before and after
 * a body parser. Requests that are not the gateway's go on to the host's other middleware. The gateway answers its own errors, all
 * through `ctx.status`, `ctx.set` and `ctx.body`, so middleware before it works as around any other route: sessions, compression, headers
 * set after `await next()`. The gateway's `authenticate` gets `ctx` as `host`.
 *
 * @throws ConfigurationError for what is no gateway, and for wrong options.
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
    // Middleware has answered past Koa, such as a time limit of the host. Koa would add a body to that.
    ctx.respond = false;
    // Else what no one reads would be kept for as long as the answer comes.
    if (typeof body === 'object' && body !== null && 'destroy' in body) body.destroy();
    return;
  }
  ctx.status = status;
  ctx.set(headers);
  // Koa would make a 204 of `null`. HEAD and 304 keep the status and the headers they have.
  if (body !== null) ctx.body = body;
}

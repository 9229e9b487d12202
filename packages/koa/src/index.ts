import type { IncomingMessage, ServerResponse } from 'node:http';
import { handleNode, type MountableGateway, stripMountPath } from '@searchgate/core/node';

/** Koa's context as far as it matters here; Koa 2 and 3 both hand over more. */
interface GatewayContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  readonly querystring: string;
  /** Body parsers put what they parsed into its `body`. */
  readonly request: { readonly body?: unknown };
  respond?: boolean;
}

/**
 * Fits `app.use` of Koa 2 and 3, `koa-mount` and `@koa/router`. A context is always Koa's; a closer type would only become part of the
 * application's own.
 */
export type GatewayRouter = (ctx: object, next: () => Promise<unknown>) => Promise<void>;

export interface GatewayRouterOptions {
  /**
   * The path the gateway is mounted under, such as `/search`. Needed wherever the path keeps it: with `app.use` and inside
   * `router.all('/search/{*rest}', …)`, but not inside `koa-mount`, which takes it off. Default: none.
   */
  readonly prefix?: string;
}

/**
 * Mounts a gateway: `app.use(gatewayRouter(gateway))`, or `app.use(gatewayRouter(gateway, { prefix: '/search' }))`. Works before and after
 * a body parser. Requests that are not the gateway's go on to the host's other middleware; the gateway answers its own errors and
 * writes its responses itself, so what middleware before it does after `await next()` cannot change them any more.
 *
 * @throws ConfigurationError for a malformed prefix.
 */
export function gatewayRouter(gateway: MountableGateway, options: GatewayRouterOptions = {}): GatewayRouter {
  const strip = stripMountPath(options.prefix);

  return async (context, next) => {
    const ctx = context as GatewayContext;
    const path = strip(ctx.path);
    if (path === undefined) {
      await next();
      return;
    }
    const { req, res, querystring } = ctx;
    const target = querystring === '' ? path : `${path}?${querystring}`;
    const ours = await handleNode(gateway, { req, res, target, parsedBody: ctx.request.body });
    // Koa would otherwise answer as well: 404, since nothing was put into `ctx.body`.
    if (ours) ctx.respond = false;
    else await next();
  };
}

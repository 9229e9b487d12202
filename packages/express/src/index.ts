import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkMount, handleNode, type MountableGateway, stripMountPath } from '@searchgate/core/node';

/** Express's request as far as it matters here; Express 4 and 5 both hand over more. */
interface ExpressRequest extends IncomingMessage {
  readonly body?: unknown;
  readonly originalUrl?: string | undefined;
  /** The caller's address, behind proxies as the application's `trust proxy` says. */
  readonly ip?: string | undefined;
}

/** Fits `app.use` of Express 4 and 5 without depending on either's types. */
export type GatewayRouter<Req extends ExpressRequest = ExpressRequest> = (
  req: Req,
  res: ServerResponse,
  next: () => void,
) => void;

export interface GatewayRouterOptions {
  /**
   * The whole path the gateway is mounted under, such as `/search`, or `''` for the root. Needed where the host leaves another path in
   * `req.url` than the one below the mount point: in `forRoutes` of Nest and with `app.all('/search/*path', …)`. `req.originalUrl` is read
   * then. Default: `req.url` is the path below the mount point, as `app.use` leaves it.
   */
  readonly prefix?: string | undefined;
}

/**
 * Mounts a gateway: `app.use(gatewayRouter(gateway))`, or under a path, `app.use('/search', gatewayRouter(gateway))`. Works before and
 * after `express.json()`. Requests that are not the gateway's go on to the host's other routes; the gateway answers its own errors, so
 * the host's error handler never hears of them. The gateway's `authenticate` gets Express's `req` as `host`.
 *
 * Whatever takes middleware of the form `(req, res, next)` can mount it: Nest, `@fastify/middie`, `@fastify/express`.
 *
 * @throws ConfigurationError for what is no gateway, and for wrong options.
 */
export function gatewayRouter<Req extends ExpressRequest>(
  gateway: MountableGateway<Req>,
  options: GatewayRouterOptions = {},
): GatewayRouter<Req> {
  checkMount(gateway, options, ['prefix']);
  const targetOf = targetReader(options.prefix);

  async function serve(req: Req, res: ServerResponse, next: () => void): Promise<void> {
    const target = targetOf(req);
    const call = { req, res, target, parsedBody: req.body, clientAddress: () => req.ip };
    if (!(await handleNode(gateway, call))) next();
  }

  return (req, res, next) => {
    void serve(req, res, next);
  };
}

/** What tells the path and query below the mount point; `null` for a request that is not below it. */
function targetReader(prefix: string | undefined): (req: ExpressRequest) => string | null | undefined {
  if (prefix === undefined) return (req) => req.url;
  const strip = stripMountPath(prefix);
  return (req) => strip(req.originalUrl ?? req.url ?? '');
}

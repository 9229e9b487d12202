import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkMount, handleNode, isCalledBy, type MountableGateway, stripMountPath } from '@searchgate/core/node';

/** The fields of Express's request that the adapter reads; the same in Express 4 and 5. */
interface ExpressRequest extends IncomingMessage {
  /** Of a body parser in front, if any. */
  readonly body?: unknown;
  /** The URL with the mount paths that Express removes from `url`. */
  readonly originalUrl?: string | undefined;
  /** The caller's address, resolved by the application's `trust proxy`. */
  readonly ip?: string | undefined;
}

/** Fits `app.use` of Express 4 and 5 without depending on the types of either. */
export type GatewayRouter<Req extends ExpressRequest = ExpressRequest> = (
  req: Req,
  res: ServerResponse,
  next: () => void,
) => void;

/** Where the router is mounted. */
export interface GatewayRouterOptions {
  /**
   * The whole mount path of the gateway, such as `/search`, or `''` for the root. Needed if the host does not reduce `req.url` to the path below the mount
   * path: in `forRoutes` of Nest and with `app.all('/search/*path', …)`. The adapter then reads `req.originalUrl`.
   *
   * @default `req.url` is the path below the mount path, as `app.use` leaves it
   */
  readonly prefix?: string | undefined;
}

/**
 * Mounts a gateway: `app.use(gatewayRouter(gateway))`, or under a path, `app.use('/search', gatewayRouter(gateway))`. Works before and
 * after `express.json()`. Other requests go on to the host's other routes. The gateway answers its own errors, so the host's error handler
 * never sees them. The gateway's `authenticate` gets Express's `req` as `host`.
 *
 * Any host of middleware `(req, res, next)` can mount the router: Nest, `@fastify/middie`, `@fastify/express`.
 *
 * @throws ConfigurationError for an object that is not a gateway, and for invalid options.
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
    const { writeHead } = (res as Partial<ServerResponse> | undefined) ?? {};
    if (isCalledBy('express', [writeHead, next], [req, res])) void serve(req, res, next);
  };
}

/** Reads the path and query below the mount path; `null` for a request outside of the mount path. */
function targetReader(prefix: string | undefined): (req: ExpressRequest) => string | null | undefined {
  if (prefix === undefined) return (req) => req.url;
  const strip = stripMountPath(prefix);
  return (req) => strip(req.originalUrl ?? req.url ?? '');
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { handleNode, type MountableGateway } from '@searchgate/core/node';

/** Express's request as far as it matters here; Express 4 and 5 both hand over more. */
type ExpressRequest = IncomingMessage & { readonly body?: unknown };

/** Fits `app.use` of Express 4 and 5 without depending on either's types. */
export type GatewayRouter<Req extends ExpressRequest = ExpressRequest> = (
  req: Req,
  res: ServerResponse,
  next: () => void,
) => void;

/**
 * Mounts a gateway: `app.use(gatewayRouter(gateway))`, or under a path, `app.use('/search', gatewayRouter(gateway))`. Works before and
 * after `express.json()`. Requests that are not the gateway's go on to the host's other routes; the gateway answers its own errors, so
 * the host's error handler never hears of them. The gateway's `authenticate` gets Express's `req` as `host`.
 *
 * Mount it with `use`: `app.all('/search/*')` would leave the mount path in the request's path.
 */
export function gatewayRouter<Req extends ExpressRequest>(gateway: MountableGateway<Req>): GatewayRouter<Req> {
  async function serve(req: Req, res: ServerResponse, next: () => void): Promise<void> {
    const ours = await handleNode(gateway, { req, res, parsedBody: req.body });
    if (!ours) next();
  }

  return (req, res, next) => {
    void serve(req, res, next);
  };
}

import type { MountableGateway } from '../http/gateway-request.js';
import { processWarnings } from '../logger.js';
import { type NodeCall, NodeRequest } from './node-request.js';
import { writeNodeResponse } from './write-node-response.js';

/**
 * Serves one exchange of a node:http server: what every adapter for a Node framework does, and all that plain node:http needs.
 *
 * @returns whether the request was the gateway's. If not, nothing has been read or written and the host goes on as if we were not there.
 * Never rejects.
 */
export async function handleNode(gateway: MountableGateway, call: NodeCall): Promise<boolean> {
  const { req, res } = call;
  try {
    const response = await gateway.handle(new NodeRequest(call));
    if (response === undefined) return false;
    writeNodeResponse(req, res, response);
  } catch (error) {
    // Only a gateway that is not ours rejects, and only a host that tampers with `res` makes it throw. Nobody may be left waiting.
    processWarnings.error({ error }, 'a gateway failed outside its own error handling');
    res.destroy();
  }
  return true;
}

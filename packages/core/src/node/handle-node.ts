import type { ServerResponse } from 'node:http';
import { processWarnings } from '../base/events/logger.js';
import { type GatewayResponse, isStreamed, type MountableGateway } from '../http/gateway-request.js';
import { NO_READER, ResponseWriter, readableBody } from './body-writers.js';
import { type Http1Call, type NodeCall, type NodeIncoming, NodeRequest } from './node-request.js';
import { fittingHeaders, isWhole, type NodeResponse, toNodeResponse } from './node-response.js';

/**
 * Serves one exchange of a server of node:http, node:https or node:http2: what adapters do whose framework leaves `res` to its handlers, and all that plain node:http
 * needs. The gateway's `authenticate` gets `req`.
 *
 * @returns whether the request was the gateway's. If not, nothing has been read or written and the host goes on as if we were not there.
 * Never rejects.
 */
export async function handleNode<Req extends NodeIncoming>(
  gateway: MountableGateway<Req>,
  call: NodeCall<Req>,
): Promise<boolean> {
  if (call.target === null) return false;
  const { req, res } = call as NodeCall & Http1Call;
  try {
    const response = await gateway.handle(new NodeRequest(call, call.req));
    if (response === undefined) return false;
    if (isWhole(response)) writeNodeResponse(res, toNodeResponse(req, response));
    else writeStreamedResponse(res, { ...response, headers: fittingHeaders(req, response.headers) });
  } catch (error) {
    // Only a gateway that is not ours rejects, and only a host that changes `res` makes it throw. The caller must get a response.
    processWarnings.error({ error }, 'a gateway failed outside its own error handling');
    res.destroy();
  }
  return true;
}

/**
 * What the gateway answers to one exchange of a node:http server, for adapters whose framework writes responses itself. A body that is a
 * stream is an answer that is still coming, or gives all it has at once and ends late, so that the caller can finish sending.
 *
 * @param host what the gateway's `authenticate` gets: the framework's own request.
 * @returns `undefined` when the request is not the gateway's; nothing has been read then.
 */
export async function nodeResponse<Host>(
  gateway: MountableGateway<Host>,
  call: NodeCall,
  host: Host,
): Promise<NodeResponse | undefined> {
  if (call.target === null) return undefined;
  const response = await gateway.handle(new NodeRequest(call, host));
  const { req, res } = call as NodeCall & Http1Call;
  if (response === undefined || isWhole(response)) return response && toNodeResponse(req, response);
  const { status, headers, body } = response;
  return {
    status,
    headers: fittingHeaders(req, headers),
    body: isStreamed(body) ? readableBody(body, res) : null,
  };
}

/**
 * Writes a response straight to node's object, which costs a third of what `res.json` does. Headers the host has set before stay, unless the
 * response has the same ones. Writes nothing when the caller has gone or the host has answered already.
 */
function writeNodeResponse(res: ServerResponse, { status, headers, body }: NodeResponse): void {
  if (res.headersSent || res.writableEnded || res.destroyed) return;
  res.writeHead(status, headers);
  if (body === null || typeof body === 'string' || Buffer.isBuffer(body)) res.end(body);
  else body.pipe(res);
}

/** Begins a response whose body is still to come. Writes nothing when the caller has gone or the host has answered already. */
function writeStreamedResponse(res: ServerResponse, { status, headers, body }: GatewayResponse): void {
  const writer = new ResponseWriter(res);
  const isOurs = !res.headersSent && !writer.isClosed;
  if (isOurs) res.writeHead(status, headers);
  if (isStreamed(body)) body.pipeTo(isOurs ? writer : NO_READER);
  // They go with the first part where that is there: one write to the socket, which is the dearest thing a stream does.
  if (isOurs && res.writableLength === 0 && !res.writableEnded) res.flushHeaders();
}

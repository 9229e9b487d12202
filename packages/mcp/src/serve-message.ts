import type {
  ExtensionCalls,
  ExtensionRequest,
  ExtensionResponse,
  JsonObject,
  SendEvents,
} from '@searchgate/core/extensions';
import type { GatewaySource } from './gateway-source.js';
import { failureReply, ProtocolError, type RequestId, type RpcRequest, readRequest } from './json-rpc.js';
import { progressTokenOf, reportProgress } from './report-progress.js';
import { resultOf } from './tool-server.js';
import type { Tools } from './tools/tools.js';
import { checkVersion, isModern } from './versions.js';

/** A message, and how to tell that it was refused. */
type Message = ExtensionRequest & Pick<ExtensionCalls, 'refused'>;

/** The gateway notices itself when a caller hangs up. */
const { signal } = new AbortController();

/** Answers one message over HTTP: as JSON, or as a stream for clients that want to hear of the progress. */
export async function serveMessage(
  { body, header, clock, refused }: Message,
  tools: Tools,
  source: GatewaySource,
): Promise<ExtensionResponse> {
  let id: RequestId | null = null;
  try {
    const request = readRequest(body);
    if (request === null) {
      checkVersion(header('mcp-protocol-version'));
      return { status: 202, body: null };
    }
    id = request.id;
    const serving = { tools, source, signal, isModern: isModern(request, header) };
    const reply = async () => ({ jsonrpc: '2.0', id, result: await resultOf(request, serving) });
    const isStreamed = header('accept')?.includes('text/event-stream') === true;
    const token = progressTokenOf(request);
    if (token === undefined || !isStreamed) return { status: 200, body: JSON.stringify(await reply()) };
    return { status: 200, body: withProgress(request, reply, { token, clock, refused }) };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    refused();
    return { status: error.status, body: JSON.stringify(failureReply(id, error)) };
  }
}

function withProgress(
  { id }: RpcRequest,
  reply: () => Promise<JsonObject>,
  { token, clock, refused }: Pick<Message, 'clock' | 'refused'> & { readonly token: RequestId },
): SendEvents {
  return async (sendEvents) => {
    const send = (message: JsonObject) => sendEvents(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    const stop = reportProgress(token, clock, send);
    try {
      send(await reply().finally(stop));
    } catch (error) {
      send(failureReply(id, error));
      if (!(error instanceof ProtocolError)) throw error;
      refused();
    }
  };
}

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { ExtensionRequest, ExtensionResponse } from '@searchgate/core/extensions';
import type { AnswerSource } from './answer-source.js';
import { withReadParams } from './requests.js';
import { createToolServer } from './tool-server.js';
import type { Tools } from './tools/tools.js';

/** The transport needs a URL but does not read it. */
const URL_OF_REQUEST = 'http://gateway.invalid/api/v1/mcp';

/** Answers one JSON-RPC message, with a new server and transport: without sessions the SDK refuses to reuse a transport. */
export async function serveMessage(
  request: ExtensionRequest,
  tools: Tools,
  source: AnswerSource,
): Promise<ExtensionResponse> {
  const { source: watched, settled } = watch(source);
  const server = createToolServer(tools, watched);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(webRequest(request), { parsedBody: withReadParams(request.body) });
    const body = await response.text();
    await settled();
    return { status: response.status, body: body === '' ? null : body };
  } finally {
    await server.close();
  }
}

/** The headers that the gateway has not checked. Clients that accept only JSON break the protocol but are served: replies are always JSON. */
function webRequest({ body, header }: ExtensionRequest): Request {
  const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' });
  // Messages after `initialize` carry the version that was agreed on.
  const version = body['method'] === 'initialize' ? undefined : header('mcp-protocol-version');
  if (version !== undefined) headers.set('mcp-protocol-version', version);
  return new Request(URL_OF_REQUEST, { method: 'POST', headers });
}

/** The SDK would show the client the text of any error in a tool. `settled` rethrows the error for the gateway instead. */
function watch(source: AnswerSource): { source: AnswerSource; settled: () => Promise<unknown> } {
  const running: Promise<unknown>[] = [];
  const watched = <T>(promise: Promise<T>): Promise<T> => {
    running.push(promise);
    return promise;
  };
  return {
    source: {
      answer: (fields, signal) => watched(source.answer(fields, signal)),
      models: (signal) => watched(source.models(signal)),
    },
    settled: () => Promise.all(running),
  };
}

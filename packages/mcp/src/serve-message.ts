import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { ExtensionRequest, ExtensionResponse } from '@searchgate/core/extensions';
import type { AnswerSource } from './answer-source.js';
import { withReadParams } from './requests.js';
import { createToolServer } from './tool-server.js';
import type { Tools } from './tools/tools.js';

/** The transport wants one, and reads nothing of it. */
const URL_OF_REQUEST = 'http://gateway.invalid/api/v1/mcp';

/** Answers one JSON-RPC message. Without sessions each has a server and a transport of its own: the SDK refuses to use a transport again. */
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

/** What the gateway has not read already. Clients that accept JSON alone, against the protocol, get it: nothing else is sent. */
function webRequest({ body, header }: ExtensionRequest): Request {
  const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' });
  // Only what comes after `initialize` has a version that was agreed on.
  const version = body['method'] === 'initialize' ? undefined : header('mcp-protocol-version');
  if (version !== undefined) headers.set('mcp-protocol-version', version);
  return new Request(URL_OF_REQUEST, { method: 'POST', headers });
}

/** The server would tell the client the text of whatever a tool throws: `settled` throws it where the gateway sees it. */
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

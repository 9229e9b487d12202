import type { ErrorEnvelope, Extension, ExtensionCalls, PresentError } from '@searchgate/core/extensions';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { type GatewaySource, given, refused } from './gateway-source.js';
import { CODES } from './json-rpc.js';
import { createOriginCheck, isOrigin } from './origin-check.js';
import { problemOf } from './problem-of.js';
import { serveMessage } from './serve-message.js';
import { objectOf, TEXT } from './tools/tool.js';
import { createTools, type ToolModels } from './tools/tools.js';

/** The Operation Object of the path in the gateway's OpenAPI document. MCP's own schemas describe the messages. */
function mcpOperation(): Readonly<Record<string, unknown>> {
  return {
    operationId: 'mcp',
    tags: ['Extensions'],
    summary: 'Send a message to the MCP server',
    description:
      'One JSON-RPC message of the Model Context Protocol, over Streamable HTTP without sessions. A call with a progress token and `Accept: text/event-stream` is answered with events.',
    requestBody: { required: true, content: jsonOf(MESSAGE) },
    responses: {
      200: {
        description: 'The result of a request. A tool that was refused is a result too.',
        content: { ...jsonOf(REPLY), 'text/event-stream': { schema: { type: 'string' } } },
      },
      202: { description: 'A notification has arrived.' },
      '4XX': { description: ERROR, content: jsonOf(REPLY) },
      '5XX': { description: ERROR, content: jsonOf(REPLY) },
    },
  };
}

const ERROR = 'A JSON-RPC error. Where the gateway refused the call, its `data` has the reason.';

const ID = { type: ['string', 'integer', 'null'], minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const ENVELOPE = { jsonrpc: { const: '2.0' }, id: ID };
const OBJECT = { type: 'object' };
const MESSAGE = objectOf({ ...ENVELOPE, method: TEXT, params: OBJECT }, ['jsonrpc', 'method']);
const ERROR_BODY = objectOf({ code: { type: 'integer' }, message: TEXT, data: OBJECT }, ['code', 'message']);
const REPLY = objectOf({ ...ENVELOPE, result: OBJECT, error: ERROR_BODY }, ['jsonrpc', 'id']);

function jsonOf(schema: object) {
  return { 'application/json': { schema } };
}

type Reason = ErrorEnvelope['error']['reason'];
type Json = ReturnType<PresentError>;

const CODES_OF: { readonly [R in Reason]?: number } = {
  malformed_json: CODES.parseError,
  hook_failed: CODES.internalError,
  internal_error: CODES.internalError,
};

/** An error raised before a message is read has no request to refer to: its `id` is `null`. `data` is the gateway's own error. */
const presentJsonRpcError: PresentError = ({ error }) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: CODES_OF[error.reason] ?? CODES.serverError, message: error.message, data: error as unknown as Json },
});

/** The models of the tools, and who may call from a browser. */
export interface McpOptions extends ToolModels {
  /** Origins whose pages may call, such as `https://chat.example.com`. @default only those of the gateway's own host */
  readonly origins?: readonly string[] | undefined;
}

const model = (example: string) => z.string(`a string such as "${example}"`).min(1).optional();
const origin = z.string().refine(isOrigin, 'an origin such as "https://chat.example.com"');
const models = { defaultModel: model('exa/answer'), search: model('exa/auto'), fetch: model('exa/contents') };
const schema = z.strictObject({ ...models, origins: z.array(origin, 'an array').optional() }, 'an object');

/**
 * The gateway as an MCP server at `POST /api/v1/mcp`: `createGateway({ …, endpoints: { mcp: mcp() } })`. The transport is Streamable HTTP without
 * sessions. A call of a tool is a call like `POST /api/v1/answer`, `/search` or `/extract`.
 *
 * @throws ConfigurationError for an invalid option.
 */
export function mcp(options: McpOptions = {}): Extension {
  const { origins = [], ...toolModels } = parseOptions(schema, options, 'mcp');
  const tools = createTools(toolModels);
  return {
    name: 'mcp',
    path: '/api/v1/mcp',
    models: [
      { option: 'defaultModel', model: toolModels.defaultModel, category: 'answer' },
      { option: 'search', model: toolModels.search, category: 'search' },
      { option: 'fetch', model: toolModels.fetch, category: 'extract' },
    ],
    presentError: presentJsonRpcError,
    describe: mcpOperation,
    checkHeaders: createOriginCheck(origins),
    respond: (request, calls) => serveMessage({ ...request, refused: calls.refused }, tools, gatewaySource(calls)),
  };
}

/** The gateway in this process. */
function gatewaySource(calls: ExtensionCalls): GatewaySource {
  return {
    async call(category, fields) {
      const { body, refusal } = await calls.call(category, fields);
      return refusal === null ? given(body) : refused(problemOf(refusal));
    },
    models: (categories) => Promise.resolve(given(categories.flatMap((category) => calls.models(category)))),
  };
}

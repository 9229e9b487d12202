import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { ErrorEnvelope, Extension, ExtensionCalls, PresentError } from '@searchgate/core/extensions';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { type AnswerSource, given, refused } from './answer-source.js';
import { problemOf } from './problem-of.js';
import { serveMessage } from './serve-message.js';
import { createTools } from './tools/tools.js';

/** The Operation Object of the path in the gateway's OpenAPI document. MCP's own schemas describe the messages. */
function mcpOperation(): Readonly<Record<string, unknown>> {
  return {
    operationId: 'mcp',
    tags: ['Extensions'],
    summary: 'Send a message to the MCP server',
    description:
      'One JSON-RPC message of the Model Context Protocol, over Streamable HTTP without sessions. The tools are `search_answer` and `list_models`.',
    requestBody: { required: true, content: jsonOf(MESSAGE) },
    responses: {
      200: { description: 'The result of a request. A tool that was refused is a result too.', content: jsonOf(REPLY) },
      202: { description: 'A notification has arrived.' },
      '4XX': { description: ERROR, content: jsonOf(REPLY) },
      '5XX': { description: ERROR, content: jsonOf(REPLY) },
    },
  };
}

const ERROR = 'A JSON-RPC error. Where the gateway refused the call, its `data` has the reason.';

const VERSION = { const: '2.0' };
const ID = { type: ['string', 'integer', 'null'] };

const MESSAGE = {
  type: 'object',
  properties: { jsonrpc: VERSION, id: ID, method: { type: 'string' }, params: { type: 'object' } },
  required: ['jsonrpc', 'method'],
};

const REPLY = {
  type: 'object',
  properties: {
    jsonrpc: VERSION,
    id: ID,
    result: { type: 'object' },
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: { type: 'object' } },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc', 'id'],
};

function jsonOf(schema: object) {
  return { 'application/json': { schema } };
}

type Reason = ErrorEnvelope['error']['reason'];
type Json = ReturnType<PresentError>;

/** JSON-RPC 2.0 §5.1 reserves -32000 to -32099 for servers; the SDK uses -32000 for HTTP errors. */
const SERVER_ERROR = -32_000;
const CODES: { readonly [R in Reason]?: number } = {
  malformed_json: ErrorCode.ParseError,
  hook_failed: ErrorCode.InternalError,
  internal_error: ErrorCode.InternalError,
};

/** An error raised before a message is read has no request to refer to: its `id` is `null`. `data` is the gateway's own error. */
const presentJsonRpcError: PresentError = ({ error }) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: CODES[error.reason] ?? SERVER_ERROR, message: error.message, data: error as unknown as Json },
});

export interface McpOptions {
  /** The model, alias or group of `search_answer` when the agent names none. Default: none; the agent has to name a model. */
  readonly defaultModel?: string | undefined;
}

const schema = z.strictObject(
  { defaultModel: z.string('a string such as "exa/answer"').min(1).optional() },
  'an object',
);

/**
 * The gateway as an MCP server at `POST /api/v1/mcp`: `createGateway({ …, endpoints: { mcp: mcp() } })`. The transport is Streamable HTTP without
 * sessions. Its tools are `search_answer`, which is a call like `POST /api/v1/answer`, and `list_models`.
 *
 * @throws ConfigurationError for an invalid option.
 */
export function mcp(options: McpOptions = {}): Extension {
  const { defaultModel } = parseOptions(schema, options, 'mcp');
  const tools = createTools(defaultModel);
  return {
    name: 'mcp',
    path: '/api/v1/mcp',
    presentError: presentJsonRpcError,
    describe: mcpOperation,
    respond: (request, calls) => serveMessage(request, tools, gatewaySource(calls)),
  };
}

/** The gateway in this process. The gateway notices itself when a caller hangs up, so the signal is not needed. */
function gatewaySource(calls: ExtensionCalls): AnswerSource {
  return {
    async answer(fields) {
      const { answer, refusal } = await calls.answer(fields);
      return refusal === null ? given(answer) : refused(problemOf(refusal));
    },
    models: () => Promise.resolve(given(calls.answerModels())),
  };
}

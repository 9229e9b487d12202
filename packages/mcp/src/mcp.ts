import type { Extension } from '@searchgate/core/extensions';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { gatewaySource } from './gateway-source.js';
import { presentJsonRpcError } from './json-rpc-error.js';
import { mcpOperation } from './mcp-operation.js';
import { serveMessage } from './serve-message.js';
import { createTools } from './tools/tools.js';

export interface McpOptions {
  /** The model, alias or group that `search_answer` asks where the agent names none. Default: none, and the agent has to name one. */
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
 * @throws ConfigurationError for a wrong option.
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

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { AnswerSource } from './answer-source.js';
import type { Tools } from './tools/tools.js';
import { VERSION } from './version.js';

const INFO = { name: 'searchgate', title: 'Searchgate', version: VERSION };
const INSTRUCTIONS =
  'search_answer searches the web and answers one question with numbered sources. Each answer costs money. list_models shows what can be asked, and prices.';
/** Checks what users are asked for, which no tool here does. The usual one is built again for every server, and so for every request. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('this server asks users for nothing');
  },
};

/**
 * An MCP server with our tools, for one connection. Tools are given as JSON schema and arguments go on unchecked: the gateway checks them, and its
 * errors name the field.
 */
export function createToolServer(tools: Tools, source: AnswerSource): McpServer {
  const options = { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR };
  const server = new McpServer(INFO, options);
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.list] }));
  server.server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => {
    const call = tools.calls.get(params.name);
    if (call === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no tool of this name.');
    return call(params.arguments ?? {}, source, signal);
  });
  return server;
}

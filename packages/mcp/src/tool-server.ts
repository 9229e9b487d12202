import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  ErrorCode,
  LATEST_PROTOCOL_VERSION,
  McpError,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { AnswerSource } from './answer-source.js';
import { CALL_TOOL, INITIALIZE, LIST_TOOLS, PING } from './requests.js';
import type { Tools } from './tools/tools.js';
import { VERSION } from './version.js';

const INFO = { name: 'searchgate', title: 'Searchgate', version: VERSION };
const CAPABILITIES = { tools: {} };
const INSTRUCTIONS =
  'search_answer searches the web and answers one question with numbered sources. Each answer costs money. list_models shows what can be asked, and prices.';
/** Validates user input, which no tool requests. The SDK's default validator would be rebuilt for every server, so for every request. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('this server requests no user input');
  },
};

/**
 * An MCP server with the tools, for one connection. Tools are declared as JSON schema, and arguments are passed on unchecked: the gateway
 * checks them, and its errors name the field.
 */
export function createToolServer(tools: Tools, source: AnswerSource): McpServer {
  const mcpServer = new McpServer(INFO, { capabilities: CAPABILITIES, jsonSchemaValidator: NO_VALIDATOR });
  const { server } = mcpServer;
  server.setRequestHandler(PING, () => ({}));
  server.setRequestHandler(INITIALIZE, ({ params }) => ({
    protocolVersion: negotiated(params.protocolVersion),
    capabilities: CAPABILITIES,
    serverInfo: INFO,
    instructions: INSTRUCTIONS,
  }));
  server.setRequestHandler(LIST_TOOLS, () => ({ tools: [...tools.list] }));
  server.setRequestHandler(CALL_TOOL, ({ params }, { signal }) => {
    const call = tools.calls.get(params.name);
    if (call === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no tool of this name.');
    return call(params.arguments, source, signal);
  });
  return mcpServer;
}

/** The client's version if the SDK supports it, else the newest version, which the client may refuse. */
function negotiated(version: string): string {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(version) ? version : LATEST_PROTOCOL_VERSION;
}

/** The path in the gateway's OpenAPI document: an Operation Object. What is inside the messages, MCP's own schemas say. */
export function mcpOperation(): Readonly<Record<string, unknown>> {
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

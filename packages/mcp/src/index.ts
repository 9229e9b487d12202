export { mcp, type McpOptions } from './mcp.js';

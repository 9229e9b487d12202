import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '@searchgate/core/extensions';
import type { AnswerSource } from '../answer-source.js';

/** What a tool does. @param args of the client, unchecked. @param signal ends a call whose result is no longer wanted. */
export type ToolCall = (args: JsonObject, source: AnswerSource, signal: AbortSignal) => Promise<CallToolResult>;

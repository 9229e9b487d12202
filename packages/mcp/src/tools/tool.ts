import type { JsonObject } from '@searchgate/core/extensions';
import type { GatewaySource, Problem } from '../gateway-source.js';

/** A tool as clients see it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: JsonObject;
}

export interface ServedTool {
  readonly tool: Tool;
  readonly call: ToolCall;
}

/** Runs a tool. @param args of the client, unchecked. @param signal aborts the call. */
type ToolCall = (args: JsonObject, source: GatewaySource, signal: AbortSignal) => Promise<ToolResult>;

/** The result of a tool call. */
export type ToolResult = JsonObject & { readonly content: readonly { readonly type: 'text'; readonly text: string }[] };

/** The JSON schema of an object. @param required default: all properties. */
export function objectOf(properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject {
  return { type: 'object', properties, required };
}

export const TEXT = { type: 'string' };
export const COST = { type: 'number', description: 'The charge in USD.' };

/** A result as text for the model, and as data for clients that read it. */
export function toolResult(text: string, structuredContent: JsonObject): ToolResult {
  return { content: [{ type: 'text', text }], structuredContent };
}

/** The key of the error in `_meta`. Structured content must fit the tool's output schema, which describes successes only. */
export const ERROR_META = 'searchgate/error';

/** The result of a failed tool call: reason and advice as text for the model, and as data for the client. */
export function toolError({ reason, message, advice, retryAfterSeconds, error }: Problem): ToolResult {
  const data = { ...(error ?? { reason, message }), advice, retry_after: retryAfterSeconds };
  return {
    content: [{ type: 'text', text: `${reason}: ${message} ${advice}` }],
    isError: true,
    _meta: { [ERROR_META]: data },
  };
}

/** Only the balance changes, and results rest on pages of the open web. */
export const OF_THE_WEB = { readOnlyHint: true, openWorldHint: true };

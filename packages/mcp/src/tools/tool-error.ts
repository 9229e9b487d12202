import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Problem } from '../answer-source.js';

/** Where clients find the error as data. Structured content has to fit the tool's output schema, which is that of its successes. */
export const ERROR_META = 'searchgate/error';

/** What a tool gives that could not do its work: the reason and what to do, as text for the model and as data for the client. */
export function toolError({ reason, message, advice, retryAfterSeconds, error }: Problem): CallToolResult {
  const data = { ...(error ?? { reason, message }), advice, retry_after: retryAfterSeconds };
  return {
    content: [{ type: 'text', text: `${reason}: ${message} ${advice}` }],
    isError: true,
    _meta: { [ERROR_META]: data },
  };
}

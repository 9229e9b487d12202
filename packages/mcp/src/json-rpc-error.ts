import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { ErrorEnvelope, PresentError } from '@searchgate/core/extensions';

type Reason = ErrorEnvelope['error']['reason'];
type Json = ReturnType<PresentError>;

/** JSON-RPC 2.0 §5.1 leaves -32000 to -32099 to servers; the SDK uses the first for HTTP errors. */
const SERVER_ERROR = -32_000;
const CODES: { readonly [R in Reason]?: number } = {
  malformed_json: ErrorCode.ParseError,
  hook_failed: ErrorCode.InternalError,
  internal_error: ErrorCode.InternalError,
};

/** An error that the gateway finds before a message is read has no message to answer: its `id` is `null`. `data` is the gateway's own error. */
export const presentJsonRpcError: PresentError = ({ error }) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: CODES[error.reason] ?? SERVER_ERROR, message: error.message, data: error as unknown as Json },
});

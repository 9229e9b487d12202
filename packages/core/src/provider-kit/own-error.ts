import type { z } from 'zod';
import { MAX_CODE_LENGTH, MAX_MESSAGE_LENGTH, type ProviderErrorInfo } from './classify.js';

/** The content of a provider's error reply. A reply without code and message is no error. */
export interface OwnError {
  /** The provider's name or number of the error. */
  readonly code?: string | number | null | undefined;
  /** The provider's words, which no caller sees. */
  readonly message?: string | null | undefined;
}

/** Reads {@link OwnError} from an error reply in the provider's own envelope. A reply that does not fit is no error. */
export type ErrorReply = z.ZodType<OwnError>;

/** The error in a body or an event, by the provider's own envelope; `undefined` for no error. */
export function readOwnError(body: unknown, errorReply: ErrorReply | undefined): ProviderErrorInfo | undefined {
  const { code, message } = errorReply?.safeParse(body).data ?? {};
  const codes = code === undefined || code === null || code === '' ? [] : [String(code)];
  if (codes.length === 0 && !message) return undefined;
  return {
    codes: codes.filter((word) => word.length <= MAX_CODE_LENGTH),
    message: (message ?? '').slice(0, MAX_MESSAGE_LENGTH),
  };
}

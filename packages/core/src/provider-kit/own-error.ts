import type { z } from 'zod';
import { MAX_CODE_LENGTH, MAX_MESSAGE_LENGTH, type ProviderErrorInfo } from './classify.js';

/** What an error reply of a provider says. One with neither is no error. */
export interface OwnError {
  readonly code?: string | number | null | undefined;
  readonly message?: string | null | undefined;
}

/** Reads {@link OwnError} out of an error reply that has an envelope of the provider's own. A reply that does not fit is no error. */
export type ErrorReply = z.ZodType<OwnError>;

/** The error in a body or an event, by the provider's own envelope; `undefined` where there is none. */
export function readOwnError(body: unknown, errorReply: ErrorReply | undefined): ProviderErrorInfo | undefined {
  const { code, message } = errorReply?.safeParse(body).data ?? {};
  const codes = code === undefined || code === null || code === '' ? [] : [String(code)];
  if (codes.length === 0 && !message) return undefined;
  return {
    codes: codes.filter((word) => word.length <= MAX_CODE_LENGTH),
    message: (message ?? '').slice(0, MAX_MESSAGE_LENGTH),
  };
}

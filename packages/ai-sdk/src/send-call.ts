import { APICallError } from '@ai-sdk/provider';
import {
  createJsonErrorResponseHandler,
  createJsonResponseHandler,
  extractResponseHeaders,
  type FetchFunction,
  type FlexibleSchema,
  isAbortError,
  postJsonToApi,
  type ResponseHandler,
} from '@ai-sdk/provider-utils';
import { createCallKeys } from './call-keys.js';
import { sendableHeaders } from './sendable-headers.js';
import { errorSchema } from './wire.js';

/** The gateway, and the headers of every call. */
export interface Connection {
  /** The URL of the mount, without a slash at its end. */
  readonly mount: string;
  readonly headers: Record<string, string>;
  readonly fetch: FetchFunction | undefined;
}

interface Call<Body, Reply> {
  readonly body: Body;
  readonly read: ResponseHandler<Reply>;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /** Default: a new key, which the tries of a call share. */
  readonly idempotencyKey?: string | undefined;
}

/** Reads an error of the gateway. Any other reply, such as a proxy's page, is retryable by its status. */
const readError = createJsonErrorResponseHandler({
  errorSchema,
  errorToMessage: ({ error }) => error.message,
  isRetryable: ({ status }, data) => data?.error.retryable ?? isRetryableStatus(status),
});

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Reads a whole reply. A lost connection is retryable: the call's idempotency key makes the retry return the same reply. */
export function wholeReply<Reply>(schema: FlexibleSchema<Reply>): ResponseHandler<Reply> {
  const readReply = createJsonResponseHandler(schema);
  return async (options) => {
    try {
      return await readReply(options);
    } catch (error) {
      if (isAbortError(error) || APICallError.isInstance(error)) throw error;
      const { url, requestBodyValues, response } = options;
      throw new APICallError({
        message: 'The connection ended before the reply was complete.',
        url,
        requestBodyValues,
        statusCode: response.status,
        responseHeaders: extractResponseHeaders(response),
        isRetryable: true,
        cause: error,
      });
    }
  };
}

/**
 * Makes the function that sends the calls of one model to a path of the gateway, each once.
 *
 * @param path below `/api/v1`.
 */
export function createSender(connection: Connection, path: string) {
  const url = `${connection.mount}/api/v1${path}`;
  const keys = createCallKeys();
  // A followed redirect could take headers and question to another origin. `manual`, since some platforms lack `error`.
  const send: FetchFunction = (input, init) => (connection.fetch ?? fetch)(input, { ...init, redirect: 'manual' });

  return async <Body extends object, Reply>(call: Call<Body, Reply>) => {
    const { body, read, abortSignal, idempotencyKey } = call;
    const headers = { ...connection.headers, ...sendableHeaders(call.headers) };
    const content = JSON.stringify(body);
    const ownKey = idempotencyKey ?? headers['idempotency-key'];
    const key = ownKey ?? keys.take(content);
    const onError = (error: unknown) => {
      if (ownKey === undefined) keys.leave(content, key, error);
    };
    try {
      const {
        value,
        rawValue,
        responseHeaders = {},
      } = await postJsonToApi({
        url,
        headers: { ...headers, 'idempotency-key': key },
        body,
        failedResponseHandler: readError,
        successfulResponseHandler: read,
        ...(abortSignal && { abortSignal }),
        fetch: send,
      });
      return { value, rawValue, responseHeaders, url, body, onError };
    } catch (error) {
      onError(error);
      throw error;
    }
  };
}

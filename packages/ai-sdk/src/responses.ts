import { APICallError, EmptyResponseBodyError } from '@ai-sdk/provider';
import {
  createJsonErrorResponseHandler,
  createJsonResponseHandler,
  type EventSourceMessage,
  EventSourceParserStream,
  extractResponseHeaders,
  isAbortError,
  type ResponseHandler,
} from '@ai-sdk/provider-utils';
import { answerSchema, errorSchema, type WireAnswer } from './wire.js';

/** Errors of the gateway as it means them. What is no error of a gateway, such as a page of a proxy, counts by its status. */
export const readError = createJsonErrorResponseHandler({
  errorSchema,
  errorToMessage: ({ error }) => error.message,
  isRetryable: ({ status }, data) => data?.error.retryable ?? isRetryableStatus(status),
});

const readWholeAnswer = createJsonResponseHandler(answerSchema);

/** An answer in one piece. Where its connection is lost, it may be asked for again: the key of the call makes that the same answer. */
export const readAnswer: ResponseHandler<WireAnswer> = async (options) => {
  try {
    return await readWholeAnswer(options);
  } catch (error) {
    if (isAbortError(error) || APICallError.isInstance(error)) throw error;
    const { url, requestBodyValues, response } = options;
    throw new APICallError({
      message: 'The connection ended before the answer was complete.',
      url,
      requestBodyValues,
      statusCode: response.status,
      responseHeaders: extractResponseHeaders(response),
      isRetryable: true,
      cause: error,
    });
  }
};

/** The events of a streamed answer, as they come. */
export const readEvents: ResponseHandler<ReadableStream<EventSourceMessage>> = ({ response }) => {
  if (response.body === null) throw new EmptyResponseBodyError();
  const text = response.body.pipeThrough(new TextDecoderStream());
  const value = text.pipeThrough(new EventSourceParserStream());
  return Promise.resolve({ value, responseHeaders: extractResponseHeaders(response) });
};

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

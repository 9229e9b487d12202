import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import {
  type FetchFunction,
  postJsonToApi,
  type ResponseHandler,
  removeUndefinedEntries,
} from '@ai-sdk/provider-utils';
import { answerMetadata, FINISHED, NO_USAGE, sourcesOf } from './answer-parts.js';
import { createCallKeys } from './call-keys.js';
import { readQuery } from './read-query.js';
import { readAnswer, readError, readEvents } from './responses.js';
import { checkOptions, checkSettings, requestBody } from './searchgate-options.js';
import { sendableHeaders } from './sendable-headers.js';
import { streamParts } from './stream-parts.js';
import { unsupportedSettings } from './unsupported-settings.js';

/** Where questions are sent, and as whom. */
export interface Connection {
  /** Of `POST /api/v1/answer`. */
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly fetch: FetchFunction | undefined;
}

/**
 * A model of a gateway for the AI SDK, in version 4 of its language model specification.
 *
 * @throws InvalidArgumentError for wrong settings.
 */
export function languageModel(modelId: string, settings: unknown, connection: Connection): LanguageModelV4 {
  const defaults = checkSettings(settings);
  const keys = createCallKeys();
  // Followed, a redirect could take headers and the question to another origin. `manual`, because some platforms know no `error`.
  const send: FetchFunction = (input, init) => (connection.fetch ?? fetch)(input, { ...init, redirect: 'manual' });

  /** Asks once. What a call may not contain is refused before anything is sent. */
  async function ask<T>(options: LanguageModelV4CallOptions, stream: true | undefined, read: ResponseHandler<T>) {
    const { idempotencyKey, ...own } = checkOptions(options.providerOptions?.['searchgate']);
    const query = readQuery(options);
    const body = { ...requestBody(modelId, query, { ...defaults, ...removeUndefinedEntries(own) }), stream };
    const headers = { ...connection.headers, ...sendableHeaders(options.headers) };
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
        url: connection.url,
        headers: { ...headers, 'idempotency-key': key },
        body,
        failedResponseHandler: readError,
        successfulResponseHandler: read,
        ...(options.abortSignal && { abortSignal: options.abortSignal }),
        fetch: send,
      });
      return { value, rawValue, responseHeaders, body, onError, warnings: unsupportedSettings(options) };
    } catch (error) {
      onError(error);
      throw error;
    }
  }

  async function doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { value: answer, rawValue, responseHeaders, body, warnings } = await ask(options, undefined, readAnswer);
    return {
      content: [{ type: 'text', text: answer.answer }, ...sourcesOf(answer.id, answer.citations)],
      finishReason: FINISHED,
      usage: NO_USAGE,
      providerMetadata: answerMetadata(answer, answer.answer),
      request: { body },
      response: { id: answer.id, modelId: answer.model, headers: responseHeaders, body: rawValue },
      warnings,
    };
  }

  async function doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { value: events, responseHeaders, body, warnings, onError } = await ask(options, true, readEvents);
    const call = { url: connection.url, requestBodyValues: body, responseHeaders };
    const includeRawChunks = options.includeRawChunks === true;
    return {
      stream: streamParts({ events, call, warnings, includeRawChunks, onError }),
      request: { body },
      response: { headers: responseHeaders },
    };
  }

  return { specificationVersion: 'v4', provider: 'searchgate', modelId, supportedUrls: {}, doGenerate, doStream };
}

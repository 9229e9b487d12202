import type { AnswerBody } from '@searchgate/core';
import { type AnswerEvent, isAnswer, readAnswerEvents } from './answer-events.js';
import { beginCall, type Call, type Timers } from './call.js';
import type { Client } from './client.js';
import type { AnswerRequest, CallOptions, ClientOptions } from './client-options.js';
import { readBody, send } from './exchange.js';
import { readOptions, type Settings } from './read-options.js';
import {
  answerRequest,
  answerStatusRequest,
  CREDITS_REQUEST,
  KEY_REQUEST,
  modelsRequest,
  usageRequest,
  type WireRequest,
} from './requests.js';
import { withRetries } from './retry.js';
import type { SearchgateError } from './searchgate-error.js';

/** @throws TypeError where an option is wrong. */
export function buildClient(options: ClientOptions, timers: Timers): Client {
  const settings = readOptions(options);
  const retry = { maxRetries: settings.maxRetries, timers };

  async function exchange<T extends object>(
    request: WireRequest,
    callOptions: CallOptions,
    isBody: (body: T) => boolean,
  ): Promise<T> {
    const call = beginCall(callOptions, settings, timers);
    try {
      const attempt = async () => readBody<T>(await send(settings, request, call.signal), isBody);
      return await withRetries(attempt, call, retry);
    } finally {
      call.end();
    }
  }

  async function* stream(asked: AnswerRequest) {
    const { signal, timeoutMs, ...question } = asked;
    const call = beginCall({ signal, timeoutMs }, settings, timers);
    try {
      const request = answerRequest(question, true);
      yield* begun(await withRetries(() => openStream(settings, request, call), call, retry), call);
    } finally {
      call.end();
    }
  }

  // All are async, so that what is wrong with an argument rejects like every other error.
  return {
    answer: async ({ signal, timeoutMs, ...question }) =>
      exchange<AnswerBody>(answerRequest(question, false), { signal, timeoutMs }, isAnswer),
    answerStream: stream,
    models: async (request = {}) => exchange(modelsRequest(request), request, ({ data }) => Array.isArray(data)),
    credits: (callOptions = {}) =>
      exchange(CREDITS_REQUEST, callOptions, (body) => typeof body.total_credits === 'number'),
    key: (callOptions = {}) => exchange(KEY_REQUEST, callOptions, ({ label }) => typeof label === 'string'),
    usage: async (request) => exchange(usageRequest(request), request, ({ data }) => Array.isArray(data)),
    answerStatus: async (id, callOptions = {}) =>
      exchange(answerStatusRequest(id), callOptions, ({ status }) => typeof status === 'string'),
  };
}

type Events = AsyncGenerator<AnswerEvent, void, undefined>;

/** A stream of which the first event has come: from then on it is this answer or none. */
interface OpenStream {
  readonly first: IteratorResult<AnswerEvent, void>;
  readonly others: Events;
}

async function openStream(settings: Settings, request: WireRequest, { signal }: Call): Promise<OpenStream> {
  const others = readAnswerEvents(await send(settings, request, signal));
  return { first: await others.next(), others };
}

/** The events of a stream. What fails from here on is the last one. */
async function* begun({ first, others }: OpenStream, call: Call): Events {
  try {
    if (first.done !== true) yield first.value;
    yield* others;
  } catch (error) {
    yield { type: 'error', error: call.failure(error) as SearchgateError };
  } finally {
    // Where the loop was left early, this closes the connection.
    await others.return();
  }
}

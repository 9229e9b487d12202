import type { AnswerBody } from '@searchgate/core';
import { gatewayError, invalidReply } from './error-reply.js';
import { createEventReader, type ServerSentEvent } from './event-reader.js';
import { MAX_CHARACTERS, parseJson, replyText } from './reply-text.js';
import { clientError, type SearchgateError } from './searchgate-error.js';

/** An event of a streamed answer, the same as those of `gateway.answerStream` in process. */
export type AnswerEvent =
  /** First: the model that answers. */
  | {
      readonly type: 'start';
      /** The id of the answer and of its ledger entry. */
      readonly id: string;
      /** The slug of the model that answers, which may be a fallback. */
      readonly model: string;
      /** The id of the provider that answers. */
      readonly provider: string;
    }
  /** The whole list so far: entries are only added at its end. */
  | {
      readonly type: 'citations';
      /** In the order of their markers: `[1]` is the first. */
      readonly citations: NonNullable<AnswerBody['citations']>;
    }
  /** The next part of the text. */
  | {
      readonly type: 'delta';
      /** The next part of the text, with its markers. */
      readonly text: string;
    }
  /** Last: the result that `answer` would have. Show its text, not the joined deltas: these may lack citation markers. */
  | {
      readonly type: 'done';
      /** The whole answer with its cost. */
      readonly answer: AnswerBody;
    }
  /** Last, instead of `done`: the answer is incomplete. */
  | {
      readonly type: 'error';
      /** Why the stream ended early. */
      readonly error: SearchgateError;
    };

/**
 * Reads the events of a stream up to its last event.
 *
 * @throws SearchgateError for a stream without a last event: `connection_failed`; for a body that is not a stream of answers: `invalid_reply`.
 */
export async function* readAnswerEvents(response: Response): AsyncGenerator<AnswerEvent, void, undefined> {
  const reply = replyText(response);
  const read = createEventReader(MAX_CHARACTERS);
  let isWhole = false;
  try {
    if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) throw invalidReply(response);
    for (let piece = await reply.next(); piece !== undefined; piece = await reply.next()) {
      for (const event of eventsIn(piece)) {
        const answerEvent = toAnswerEvent(event);
        // Skip unknown kinds of events: a newer gateway may send them.
        if (answerEvent === undefined) continue;
        if (answerEvent === null) throw invalidReply(response);
        isWhole = answerEvent.type === 'done' || answerEvent.type === 'error';
        yield answerEvent;
        if (isWhole) return;
      }
    }
    throw clientError('connection_failed', { status: response.status, retryable: true });
  } finally {
    reply.close(isWhole);
  }

  function eventsIn(piece: string): ServerSentEvent[] {
    try {
      return read(piece);
    } catch {
      throw invalidReply(response);
    }
  }
}

/** `undefined` for an unknown event name, `null` for data of the wrong shape. */
function toAnswerEvent({ name, data }: ServerSentEvent): AnswerEvent | null | undefined {
  const toEvent = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (toEvent === undefined) return undefined;
  const body = parseJson(data);
  return typeof body === 'object' && body !== null ? toEvent(body as Body) : null;
}

type Body = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<string, (body: Body) => AnswerEvent | null>> = {
  start: ({ id, model, provider }) =>
    typeof id === 'string' && typeof model === 'string' && typeof provider === 'string'
      ? { type: 'start', id, model, provider }
      : null,
  citations: ({ citations }) => (Array.isArray(citations) ? { type: 'citations', citations } : null),
  delta: ({ text }) => (typeof text === 'string' ? { type: 'delta', text } : null),
  done: (body) => (isAnswer(body) ? { type: 'done', answer: body } : null),
  error(body) {
    const error = gatewayError(body, {});
    return error === undefined ? null : { type: 'error', error };
  },
};

/** Checks only the fields that distinguish an answer from another JSON object. */
export function isAnswer(body: object): body is AnswerBody {
  return typeof (body as Partial<AnswerBody>).answer === 'string';
}

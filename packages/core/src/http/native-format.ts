import { oneLine } from '../base/options/one-line.js';
import { replyText } from '../request/answer-reply.js';
import type { AnswerApi, WireFormat } from './answer-api.js';
import { answerFieldsParser } from './wire-schemas.js';

/** `POST /api/v1/answer` in the gateway's own form. */
export function nativeApi(maxQueryCharacters: number): AnswerApi {
  const read = answerFieldsParser(maxQueryCharacters);
  return { name: 'answer', read: (body) => ({ fields: read(body), format: NATIVE_FORMAT }) };
}

/** A stream is `start`, `citations` and `delta`s, then `done` with the body of the call without `stream`, or `error` with the error's body. */
export const NATIVE_FORMAT: WireFormat = {
  body: replyText,
  startEvent: ({ id, model, provider }) => event('start', JSON.stringify({ id, model, provider })),
  citationsEvent: (citations) => event('citations', JSON.stringify({ citations })),
  deltaEvent: (text) => event('delta', `{"text":${JSON.stringify(text)}}`),
  doneEvent: (reply) => event('done', replyText(reply)),
  errorEvent: (body) => event('error', body),
};

function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${oneLine(data)}\n\n`;
}

import { RequestError } from '../base/errors/request-error.js';
import { oneLine } from '../base/options/characters.js';
import { CATEGORIES } from '../catalog/model-entry.js';
import {
  type AnswerFields,
  createAnswerFieldsCheck,
  questionNames,
  type UncheckedAnswerFields,
} from '../request/answer-fields.js';
import { replyText } from '../request/answer-reply.js';
import type { AnswerApi, WireFormat } from './answer-api.js';
import type { ModelsQuery } from './endpoint.js';
import { checkModelsNames } from './parameter-names.js';
import type { JsonObject } from './read-request-body.js';
import { wireName } from './wire-name.js';

/** Builds the check of a request's fields once. @returns a function that throws RequestError `unsupported_field`, `invalid_field`. */
export function answerFieldsParser(maxQueryCharacters: number): (body: JsonObject) => AnswerFields {
  const { refuseUnknown } = questionNames(wireName, ['stream']);
  const check = createAnswerFieldsCheck(maxQueryCharacters, wireName);
  return (body) => {
    refuseUnknown(body);
    return check(ownFields(body));
  };
}

/** The fields of a question, without inherited properties. */
export function ownFields(body: JsonObject): UncheckedAnswerFields {
  return {
    model: own(body, 'model'),
    query: own(body, 'query'),
    messages: own(body, 'messages'),
    responseFormat: own(body, 'response_format'),
    instructions: own(body, 'instructions'),
    maxOutputTokens: own(body, 'max_output_tokens'),
    includeCitations: own(body, 'include_citations'),
    stream: own(body, 'stream'),
    search: own(body, 'search'),
    routing: own(body, 'routing'),
    tag: own(body, 'tag'),
  };
}

/**
 * Reads the query string of `GET /models`.
 *
 * @throws RequestError `invalid_parameter` for an unknown value or several; `unsupported_field` for the name of a filter.
 */
export function parseModelsQuery(query: string): ModelsQuery {
  if (query === '') return ALL_MODELS;
  const parameters = new URLSearchParams(query);
  checkModelsNames(parameters);
  const callable = oneOf(parameters, 'callable', ['true', 'false']);
  return {
    category: oneOf(parameters, 'category', CATEGORIES),
    callable: callable === undefined ? undefined : callable === 'true',
  };
}

const ALL_MODELS: ModelsQuery = {};

function oneOf<const Value extends string>(
  parameters: URLSearchParams,
  param: string,
  allowed: readonly Value[],
): Value | undefined {
  const [wanted, ...others] = parameters.getAll(param);
  if (wanted === undefined) return undefined;
  const value = allowed.find((known) => known === wanted);
  if (value === undefined || others.length > 0)
    throw new RequestError('invalid_parameter', { param, details: { allowed } });
  return value;
}

/** The field's own value: a polluted prototype must not add fields. */
function own(body: JsonObject, field: string): unknown {
  return Object.hasOwn(body, field) ? body[field] : undefined;
}

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

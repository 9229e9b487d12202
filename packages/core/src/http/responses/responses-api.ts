import type { Clock } from '../../base/time/clock.js';
import { createAnswerFieldsCheck } from '../../request/answer-fields.js';
import { createNamesCheck, createPlaces, type OtherField } from '../../request/field-names.js';
import type { AnswerApi } from '../answer-api.js';
import { asksForSomething } from '../openai-form/asks-for-something.js';
import { openAiErrorHeaders, presentOpenAiError } from '../openai-form/openai-error.js';
import {
  invalid,
  isObject,
  type MessagesField,
  questionOf,
  unsupported,
  unsupportedTurn,
} from '../openai-form/user-message.js';
import { wireName } from '../wire-name.js';
import { own, ownFields } from '../wire-schemas.js';
import { ResponsesFormat } from './responses-format.js';
import { isWebSearch, withWebSearchTool } from './web-search-tool.js';

const FIELDS = ['model', 'input', 'tools', 'include', 'stream', 'include_citations', 'search', 'routing', 'tag'];

/** Names refused here, in addition to those that `POST /answer` refuses. */
const MORE = Object.entries({ query: 'query', background: null });

/** `POST /api/v1/responses`: questions and answers in the form of OpenAI's Responses API. */
export function responsesApi(maxQueryCharacters: number, clock: Pick<Clock, 'now'>): AnswerApi {
  const nameOf = (field: string) => (field === 'query' ? 'input' : wireName(field));
  const check = createAnswerFieldsCheck(maxQueryCharacters, nameOf);
  const checkNames = createNamesCheck({ fields: FIELDS, nameOf, placeOf: createPlaces(nameOf, MORE), asks });
  return {
    name: 'responses',
    read(body) {
      checkNames(body);
      const query = queryOf(own(body, 'input'));
      const search = withWebSearchTool(own(body, 'search'), own(body, 'tools'));
      const includeSources = wantsSources(own(body, 'include'));
      const fields = check({ ...ownFields(body), query, search });
      return { fields, format: new ResponsesFormat({ askedAtMs: clock.now(), includeSources }) };
    },
    presentError: presentOpenAiError,
    errorHeaders: openAiErrorHeaders,
  };
}

function asks(field: OtherField): boolean {
  // A search that has to be is no special wish: there always is one.
  const isForcedSearch = field.name === 'toolchoice' && (field.value === 'required' || isWebSearch(field.value));
  return !isForcedSearch && asksForSomething(field);
}

const INPUT: MessagesField = { name: 'input', textType: 'input_text' };

/** @throws RequestError `invalid_field`, `unsupported_field` */
function queryOf(input: unknown): string {
  if (typeof input === 'string') return input;
  if (!Array.isArray(input)) throw invalid('input', input, 'a string or an array with one user message');
  const isOther = (item: unknown) => isObject(item) && (own(item, 'type') ?? 'message') !== 'message';
  if (input.some(isOther)) throw unsupportedTurn(INPUT);
  return questionOf(input, INPUT);
}

const SOURCES = 'web_search_call.action.sources';
/** The AI SDK asks for the second in every request that is not to be stored (4.0.118, 2026-11-27): there is no reasoning to encrypt. */
const INCLUDABLE: readonly unknown[] = [SOURCES, 'reasoning.encrypted_content'];

function wantsSources(include: unknown): boolean {
  if (include === undefined || include === null) return false;
  if (!Array.isArray(include)) throw invalid('include', include, 'an array of names');
  if (include.every((name) => INCLUDABLE.includes(name))) return include.includes(SOURCES);
  throw unsupported('include', `Leave out of include all but ${SOURCES}.`);
}

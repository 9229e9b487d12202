import type { Clock } from '../../base/time/clock.js';
import { invalidFields } from '../../kinds/fields.js';
import { createAnswerFieldsCheck } from '../../request/answer-fields.js';
import type { AnswerApi } from '../answer-api.js';
import { asksForSomething } from '../openai-form/asks-for-something.js';
import { createNamesCheck, createPlaces, type OtherField } from '../openai-form/field-names.js';
import { openAiErrorHeaders, presentOpenAiError } from '../openai-form/openai-error.js';
import { invalid, isObject, readMessages, unsupported } from '../openai-form/read-messages.js';
import type { JsonObject } from '../parse-json.js';
import { wireName } from '../wire-name.js';
import { own, ownFields } from '../wire-schemas.js';
import { ResponsesFormat } from './responses-format.js';

const FIELDS = ['model', 'input', 'tools', 'include', 'stream', 'include_citations', 'search', 'routing', 'tag'];

const FORM = {
  field: 'input',
  expected: 'a string or an array of messages',
  textTypes: ['input_text', 'output_text'],
  // Callers send the output of an earlier answer as it is.
  ignoredTypes: ['web_search_call'],
} as const;

/** Names refused here, in addition to those that `POST /answer` refuses. */
const MORE = Object.entries({ query: 'query', background: null });

/** `POST /api/v1/responses`: questions and answers in the form of OpenAI's Responses API. */
export function responsesApi(maxQueryCharacters: number, clock: Pick<Clock, 'now'>): AnswerApi {
  // Which of the messages is wrong is not said, because some are left out when they are read.
  const nameOf = (field: string) => (/^(?:query|messages)\b/.test(field) ? 'input' : wireName(field));
  const check = createAnswerFieldsCheck(maxQueryCharacters, nameOf);
  const checkNames = createNamesCheck({ fields: FIELDS, nameOf, placeOf: createPlaces(nameOf, MORE), asks });
  return {
    name: 'responses',
    read(body) {
      checkNames(body);
      const input = own(body, 'input');
      const question =
        typeof input === 'string' ? { query: input } : { query: undefined, messages: readMessages(input, FORM) };
      const search = withWebSearchTool(own(body, 'search'), own(body, 'tools'));
      const includeSources = wantsSources(own(body, 'include'));
      const fields = check({ ...ownFields(body), ...question, search });
      return { fields, format: new ResponsesFormat({ askedAtMs: clock.now(), includeSources }) };
    },
    // Routing names the field of `POST /answer`.
    presentError: ({ error }) =>
      presentOpenAiError({ error: error.param === 'messages' ? { ...error, param: 'input' } : error }),
    errorHeaders: openAiErrorHeaders,
  };
}

function asks(field: OtherField): boolean {
  // A search that has to be is no special wish: there always is one.
  const isForcedSearch = field.name === 'toolchoice' && (field.value === 'required' || isWebSearch(field.value));
  return !isForcedSearch && asksForSomething(field);
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

/** The types of the tool in openai 7.57, with dates and previews (read 2026-11-27). */
const WEB_SEARCH = /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/;

/** The settings of the tool that are options of `search`. */
const OPTIONS = new Map([
  ['filters.allowed_domains', 'include_domains'],
  ['filters.blocked_domains', 'exclude_domains'],
  ['user_location.country', 'country'],
]);

/** Values that ask for nothing special. */
const HARMLESS: Readonly<Record<string, unknown>> = {
  'user_location.type': 'approximate',
  search_context_size: 'medium',
  external_web_access: true,
};

/** Whether an entry of `tools`, or `tool_choice`, is the web search. */
function isWebSearch(tool: unknown): tool is JsonObject {
  const type = isObject(tool) ? own(tool, 'type') : undefined;
  return typeof type === 'string' && WEB_SEARCH.test(type);
}

/**
 * Takes the settings of OpenAI's web search as options of `search`. With or without the tool, there always is a search.
 *
 * @throws RequestError `unsupported_field` for other tools and settings, `invalid_field` for wrong values.
 */
function withWebSearchTool(search: unknown, tools: unknown): unknown {
  const asked = search ?? {};
  // A wrong `search` is refused by its reader, which says why.
  if (tools === undefined || tools === null || !isObject(asked)) return search;
  if (!Array.isArray(tools)) throw invalid('tools', tools, 'an array of tools');
  const merged: Record<string, unknown> = { ...asked };
  for (const [index, tool] of (tools as readonly unknown[]).entries()) {
    if (!isWebSearch(tool)) throw unsupported('tools', 'Leave out of tools all but web_search.');
    for (const [name, value] of settingsOf(tool)) {
      const path = `tools.${index}.${name}`;
      const option = OPTIONS.get(name);
      if (option === undefined) throw unsupported(path, `Leave out ${path}.`);
      if ((merged[option] ?? null) !== null)
        throw invalidFields([{ path, message: 'repeats a filter of this request' }]);
      merged[option] = value;
    }
  }
  return merged;
}

/** What a tool asks for. Clients send `null` and empty lists in settings that they do not use. */
function settingsOf({ type: _type, ...tool }: JsonObject): [path: string, value: unknown][] {
  return Object.entries(tool)
    .flatMap(([name, value]): [string, unknown][] =>
      isObject(value) ? Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each]) : [[name, value]],
    )
    .filter(([path, value]) => value !== null && value !== HARMLESS[path] && JSON.stringify(value) !== '[]');
}

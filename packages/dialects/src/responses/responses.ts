import {
  type Dialect,
  type JsonObject,
  type ResponsesOptions,
  responsesOptionsSchema,
} from '@searchgate/core/extensions';
import { parseOptions } from '@searchgate/core/provider-kit';
import { describeOpenAi } from '../openai/describe-openai.js';
import { openAiErrorHeaders, presentOpenAiError, withFormNames } from '../openai/openai-error.js';
import { invalid, isNothing, isObject, joined, own, readMessages, unsupported } from '../openai/read-messages.js';
import { checkIsSearch, type WebSearch, withWebSearch } from '../openai/web-search.js';
import DESCRIPTION from './responses-description.json' with { type: 'json' };
import FIELDS from './responses-fields.json' with { type: 'json' };
import { ResponsesFormat } from './responses-format.js';

const FORM = {
  field: 'input',
  expected: 'a string or an array of messages',
  textTypes: ['input_text', 'output_text'],
  // Callers send the output of an earlier answer as it is.
  ignoredTypes: ['web_search_call'],
} as const;

/**
 * `POST /api/v1/responses`: questions and answers in the form of OpenAI's Responses API.
 *
 * @example createGateway({ …, endpoints: { responses: responses() } })
 * @throws ConfigurationError for an invalid option.
 */
export function responses(options: ResponsesOptions = {}): Dialect {
  const whenUnsupported = parseOptions(responsesOptionsSchema, options, 'responses');
  return {
    name: 'responses',
    path: '/api/v1/responses',
    fields: FIELDS,
    whenUnsupported,
    nameOf,
    read(body, clock) {
      const question = questionOf(body);
      const searches = webSearchesIn(own(body, 'tools'));
      checkToolChoice(own(body, 'tool_choice'), searches.length > 0);
      const search = withWebSearch(own(body, 'search'), searches);
      const includeSources = wantsSources(own(body, 'include'));
      const text = textFormat(own(body, 'text'));
      const { type, ...json_schema } = text ?? {};
      // Has the schema beside its type, where `POST /answer` has it in an object.
      const response_format = type === 'json_schema' ? { type, json_schema } : text;
      const asked = { askedAtMs: clock.now(), hasSearch: searches.length > 0, includeSources, text };
      return { fields: { ...body, ...question, search, response_format }, format: new ResponsesFormat(asked) };
    },
    presentError: (envelope) => presentOpenAiError(withFormNames(envelope, nameOf)),
    errorHeaders: openAiErrorHeaders,
    describe: (question) => describeOpenAi(question, DESCRIPTION),
  };
}

/** Which of the messages is wrong is not said, because some are left out when they are read. */
function nameOf(field: string): string {
  if (/^(?:query|messages)\b/.test(field)) return 'input';
  return field.replace(/^response_format\b(?:\.json_schema\b)?/, 'text.format');
}

/** The question, its system texts and its limit. Empty fields ask for nothing. */
function questionOf(body: JsonObject): JsonObject {
  const [input, given, limit] = ['input', 'instructions', 'max_output_tokens'].map((field) => own(body, field));
  const read = typeof input === 'string' ? undefined : readMessages(input, FORM);
  return {
    query: read === undefined ? input : undefined,
    messages: read?.messages,
    instructions: isNothing(given) || typeof given === 'string' ? joined([given, read?.instructions]) : given,
    max_output_tokens: isNothing(limit) ? undefined : limit,
  };
}

/** Choices that change nothing, because there always is a search. */
const CHOICES: readonly unknown[] = [undefined, null, 'none', 'auto', 'required'];

function checkToolChoice(choice: unknown, isDeclared: boolean): void {
  checkIsSearch(choice, isDeclared);
  if (!CHOICES.includes(choice) && !isWebSearch(choice)) throw unsupported('tool_choice', 'Leave out tool_choice.');
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

/** Whether an entry of `tools`, or `tool_choice`, is the web search. */
function isWebSearch(tool: unknown): tool is JsonObject {
  const type = isObject(tool) ? own(tool, 'type') : undefined;
  return typeof type === 'string' && WEB_SEARCH.test(type);
}

/**
 * The web searches that a request declares. With or without them, there always is a search.
 *
 * @throws RequestError `unsupported_field` for other tools.
 */
function webSearchesIn(tools: unknown): WebSearch[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) throw invalid('tools', tools, 'an array of tools');
  return tools.map((tool: unknown, index): WebSearch => {
    if (!isWebSearch(tool)) throw unsupported('tools', 'Leave out of tools all but web_search.');
    const { type: _type, ...settings } = tool;
    return [`tools.${index}`, settings];
  });
}

/**
 * The form of the text that a request asks for.
 *
 * @throws RequestError `unsupported_field` for other settings of the text, `invalid_field` for wrong values.
 */
function textFormat(text: unknown): JsonObject | undefined {
  if (isNothing(text)) return undefined;
  if (!isObject(text)) throw invalid('text', text, 'an object such as {"format":{"type":"text"}}');
  for (const [name, value] of Object.entries(text))
    if (name !== 'format' && !isNothing(value)) throw unsupported(`text.${name}`, `Leave out text.${name}.`);
  const format = own(text, 'format');
  if (isNothing(format)) return undefined;
  if (!isObject(format)) throw invalid('text.format', format, 'an object such as {"type":"text"}');
  return format;
}

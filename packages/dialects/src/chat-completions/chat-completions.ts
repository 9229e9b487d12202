import {
  type ChatOptions,
  chatOptionsSchema,
  type DescribedQuestion,
  type Dialect,
  type DialectDescription,
  type JsonObject,
} from '@searchgate/core/extensions';
import { parseOptions } from '@searchgate/core/provider-kit';
import { describeOpenAi } from '../openai/describe-openai.js';
import {
  closedObject,
  OPENAI_ERRORS,
  openAiErrorHeaders,
  STATUS_ERRORS,
  withFormNames,
} from '../openai/openai-error.js';
import { invalid, invalidField, isNothing, isObject, own, readMessages, unsupported } from '../openai/read-messages.js';
import { checkIsSearch, type WebSearch, withWebSearch } from '../openai/web-search.js';
import DESCRIPTION from './chat-description.json' with { type: 'json' };
import FIELDS from './chat-fields.json' with { type: 'json' };
import { ChatFormat, type UsageCost } from './chat-format.js';

const FORM = { field: 'messages', expected: 'an array of messages', textTypes: ['text'] } as const;

/**
 * `POST /api/v1/chat/completions`: questions and answers in the form of OpenAI's Chat Completions API, for clients without another form.
 *
 * @example createGateway({ …, endpoints: { chatCompletions: chatCompletions() } })
 * @throws ConfigurationError for an invalid option.
 */
export function chatCompletions(options: ChatOptions = {}): Dialect {
  const { usageCost = 'number', ...whenUnsupported } = parseOptions(chatOptionsSchema, options, 'chatCompletions');
  const { presentError, errorBody } = usageCost === 'object' ? STATUS_ERRORS : OPENAI_ERRORS;
  return {
    name: 'chat_completions',
    path: '/api/v1/chat/completions',
    fields: FIELDS,
    whenUnsupported,
    nameOf,
    read(body, clock) {
      const includeUsage = wantsUsage(own(body, 'stream_options'));
      const response_format = formatOf(own(body, 'response_format'));
      const isJson = isObject(response_format) && own(response_format, 'type') === 'json_schema';
      const settings = own(body, 'web_search_options');
      checkIsSearch(own(body, 'tool_choice'), isObject(settings));
      const search = withWebSearch(own(body, 'search'), webSearchesOf(settings));
      const question = { ...readMessages(own(body, 'messages'), FORM), max_output_tokens: limitOf(body) };
      return {
        fields: { ...body, ...question, query: undefined, search, response_format },
        format: new ChatFormat({ askedAtMs: clock.now(), includeUsage, isJson, usageCost }),
      };
    },
    presentError: (envelope) => presentError(withFormNames(envelope, nameOf)),
    errorHeaders: openAiErrorHeaders,
    describe: (question) => ({ ...describe(question, usageCost, errorBody(question.reasons)), errorBody }),
  };
}

/** Which of the messages is wrong is not said, because some are left out when they are read. */
function nameOf(field: string): string {
  if (/^(?:query|messages)\b/.test(field)) return 'messages';
  // Instructions come first.
  if (field === 'instructions') return 'messages.0';
  return field === 'max_output_tokens' ? 'max_tokens' : field;
}

/** The longest answer in tokens. @throws RequestError `invalid_field` */
function limitOf(body: JsonObject): unknown {
  let limit: unknown;
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    const value = own(body, name);
    if (isNothing(value)) continue;
    if (!Number.isInteger(value) || Number(value) < 1) throw invalid(name, value, 'a whole number from 1 on');
    if (value !== (limit ??= value)) throw invalidField(name, 'says something else than max_tokens');
  }
  return limit;
}

function webSearchesOf(options: unknown): WebSearch[] {
  if (isNothing(options)) return [];
  if (!isObject(options)) throw unsupported('web_search_options', 'In place of web_search_options, use search.');
  return [['web_search_options', options]];
}

/** Instructor's JSON Schema mode (1.7.0, 2026-11-29) and open models' servers have the schema beside `json_object`. */
function formatOf(given: unknown): unknown {
  const schema = isObject(given) && own(given, 'type') === 'json_object' ? own(given, 'schema') : undefined;
  return schema === undefined ? given : { type: 'json_schema', json_schema: { schema } };
}

function wantsUsage(given: unknown): boolean {
  const options = given ?? {};
  if (!isObject(options)) throw invalid('stream_options', options, 'an object');
  const wanted = own(options, 'include_usage') ?? false;
  if (typeof wanted !== 'boolean') throw invalid('stream_options.include_usage', wanted, 'true or false');
  return wanted;
}

/** The events of a stream have no names, and the last event is no JSON. */
function describe(question: DescribedQuestion, usageCost: UsageCost, error: object): DialectDescription {
  const { asked, schemas, tokens, costs, byok, ...form } = DESCRIPTION;
  const contentSchema = { anyOf: [{ $ref: '#/components/schemas/ChatCompletionChunk' }, error] };
  const part = { type: 'string', contentMediaType: 'application/json', pattern: String.raw`^\{`, contentSchema };
  const ChatCompletionEvent = {
    description: 'An event of a stream: chunks, then an error or `[DONE]`.',
    oneOf: [{ const: '[DONE]' }, part].map((data) => closedObject({ data })),
  };
  const all = { ...tokens, ...costs[usageCost] };
  const ChatUsage = { ...closedObject(all), properties: { ...all, byok } };
  const { response_format } = question.properties;
  return describeOpenAi(question, {
    ...form,
    asked: { ...asked, response_format },
    schemas: { ...schemas, ChatCompletionEvent, ChatUsage },
  });
}

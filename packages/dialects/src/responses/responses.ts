import type { Dialect, JsonObject } from '@searchgate/core/extensions';
import { describeOpenAi } from '../openai/describe-openai.js';
import { openAiErrorHeaders, presentOpenAiError } from '../openai/openai-error.js';
import { invalid, invalidField, isObject, own, readMessages, unsupported } from '../openai/read-messages.js';
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
 */
export function responses(): Dialect {
  return {
    name: 'responses',
    path: '/api/v1/responses',
    fields: FIELDS,
    // Which of the messages is wrong is not said, because some are left out when they are read.
    nameOf: (field) => (/^(?:query|messages)\b/.test(field) ? 'input' : field),
    read(body, clock) {
      checkToolChoice(own(body, 'tool_choice'));
      const input = own(body, 'input');
      const question =
        typeof input === 'string' ? { query: input } : { query: undefined, messages: readMessages(input, FORM) };
      const search = withWebSearchTool(own(body, 'search'), own(body, 'tools'));
      const includeSources = wantsSources(own(body, 'include'));
      return {
        fields: { ...body, ...question, search },
        format: new ResponsesFormat({ askedAtMs: clock.now(), includeSources }),
      };
    },
    // Routing names the field of `POST /answer`.
    presentError: ({ error }) =>
      presentOpenAiError({ error: error.param === 'messages' ? { ...error, param: 'input' } : error }),
    errorHeaders: openAiErrorHeaders,
    describe: (question) => describeOpenAi(question, DESCRIPTION),
  };
}

/** Choices that change nothing, because there always is a search. */
const CHOICES: readonly unknown[] = [undefined, null, 'none', 'auto', 'required'];

function checkToolChoice(choice: unknown): void {
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
      if ((merged[option] ?? null) !== null) throw invalidField(path, 'repeats a filter of this request');
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

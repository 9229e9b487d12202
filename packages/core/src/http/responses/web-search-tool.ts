import type { FieldIssue } from '../../base/errors/error-details.js';
import { SEARCH_READERS } from '../../base/search-options/read-search-options.js';
import type { SearchOption } from '../../base/search-options/search-options.js';
import { invalidFields } from '../../request/answer-fields.js';
import { invalid, isObject, unsupported } from '../openai-form/user-message.js';
import type { JsonObject } from '../parse-json.js';
import { wireName } from '../wire-name.js';
import { own } from '../wire-schemas.js';

/** The types of the tool in openai 7.57, with dates and previews (read 2026-11-27). */
const WEB_SEARCH = /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/;

/** The settings of the tool that are options of `search`. */
const OPTIONS: Readonly<Record<string, SearchOption>> = {
  'filters.allowed_domains': 'includeDomains',
  'filters.blocked_domains': 'excludeDomains',
  'user_location.country': 'country',
};

/** Values that ask for nothing special. */
const HARMLESS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['user_location.type', 'approximate'],
  ['search_context_size', 'medium'],
  ['external_web_access', true],
]);

/** Whether an entry of `tools`, or `tool_choice`, is the web search. */
export function isWebSearch(tool: unknown): tool is JsonObject {
  return isObject(tool) && WEB_SEARCH.test(String(own(tool, 'type')));
}

/**
 * Takes the settings of OpenAI's web search as options of `search`. With or without the tool, there always is a search.
 *
 * @throws RequestError `unsupported_field` for other tools and settings, `invalid_field` for wrong values.
 */
export function withWebSearchTool(search: unknown, tools: unknown): unknown {
  const asked = search ?? {};
  // A wrong `search` is refused by its reader, which says why.
  if (tools === undefined || tools === null || !isObject(asked)) return search;
  if (!Array.isArray(tools)) throw invalid('tools', tools, 'an array of tools');
  const merged: Record<string, unknown> = { ...asked };
  const issues: FieldIssue[] = [];
  for (const [index, tool] of (tools as readonly unknown[]).entries()) {
    if (!isWebSearch(tool)) throw unsupported('tools', 'Leave out of tools all but web_search.');
    for (const [name, value] of settingsOf(tool)) {
      const path = `tools.${index}.${name}`;
      const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
      if (option === undefined) throw unsupported(path, `Leave out ${path}.`);
      const { read, expected } = SEARCH_READERS[option];
      if (read(value) === undefined) issues.push({ path, message: `must be ${expected}` });
      if (merged[wireName(option)]) issues.push({ path, message: 'repeats a filter of this request' });
      merged[wireName(option)] = value;
    }
  }
  if (issues.length > 0) throw invalidFields(issues);
  return merged;
}

/** What a tool asks for. Clients send `null` and empty lists in settings that they do not use. */
function settingsOf({ type: _type, ...tool }: JsonObject): [path: string, value: unknown][] {
  return Object.entries(tool)
    .flatMap(([name, value]): [string, unknown][] =>
      isObject(value) ? Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each]) : [[name, value]],
    )
    .filter(([path, value]) => value !== null && HARMLESS.get(path) !== value && !isEmptyList(value));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

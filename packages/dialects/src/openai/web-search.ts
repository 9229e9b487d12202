import type { JsonObject } from '@searchgate/core/extensions';
import { invalidField, isNothing, isObject, own, unsupported } from './read-messages.js';

/** Settings of OpenAI's web search, with their path in the request. */
export type WebSearch = readonly [path: string, settings: JsonObject];

/** The settings that are options of `search`. Chat completions write a country one level deeper than responses (openai 7.57, 2026-11-29). */
const OPTIONS = new Map([
  ['filters.allowed_domains', 'include_domains'],
  ['filters.blocked_domains', 'exclude_domains'],
  ['user_location.country', 'country'],
  ['user_location.approximate.country', 'country'],
]);

/** Values that ask for nothing special. */
const HARMLESS: Readonly<Record<string, unknown>> = {
  'user_location.type': 'approximate',
  search_context_size: 'medium',
  external_web_access: true,
};

/**
 * Takes the settings of OpenAI's web search as options of `search`.
 *
 * @throws RequestError `unsupported_field` for other settings, `invalid_field` for wrong values.
 */
export function withWebSearch(search: unknown, searches: readonly WebSearch[]): unknown {
  const asked = search ?? {};
  // A wrong `search` is refused by its reader, which says why.
  if (searches.length === 0 || !isObject(asked)) return search;
  const merged: Record<string, unknown> = { ...asked };
  for (const [at, settings] of searches) {
    for (const [name, value] of entriesOf(settings, 2)) {
      if (value === HARMLESS[name] || isNothing(value)) continue;
      const path = `${at}.${name}`;
      const option = OPTIONS.get(name);
      if (option === undefined) throw unsupported(path, `Leave out ${path}.`);
      if ((own(merged, option) ?? null) !== null) throw invalidField(path, 'repeats a filter of this request');
      merged[option] = value;
    }
  }
  return merged;
}

/** Refuses to declare a web search that must not be used. @throws RequestError `unsupported_field` */
export function checkIsSearch(choice: unknown, isDeclared: boolean): void {
  if (isDeclared && choice === 'none')
    throw unsupported('tool_choice', 'Every answer searches: leave out tool_choice, or the web search.');
}

/** The entries of an object and of the objects in it, by their paths. */
function entriesOf(value: JsonObject, levels: number): [path: string, value: unknown][] {
  return Object.entries(value).flatMap(([name, each]): [string, unknown][] =>
    isObject(each) && levels > 0
      ? entriesOf(each, levels - 1).map(([inner, one]) => [`${name}.${inner}`, one])
      : [[name, each]],
  );
}

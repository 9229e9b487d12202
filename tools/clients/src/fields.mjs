import { readFileSync } from 'node:fs';

const file = (path) => readFileSync(new URL(`../node_modules/${path}`, import.meta.url), 'utf8');
const TAVILY = file('@tavily/core/dist/index.d.ts');
const EXA = file('exa-js/dist/index.d.ts');
const FIRECRAWL = file('@mendable/firecrawl-js/dist/index.d.ts');
const snake = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Where the options of a client are declared, and the dialect that has to know each of them. */
/** @type {[string, string, string[], ((name: string) => string)?][]} */
const TYPES = [
  ['tavily_search', TAVILY, ['TavilySearchOptions'], snake],
  ['tavily_extract', TAVILY, ['TavilyExtractOptions'], snake],
  ['exa_search', EXA, ['BaseSearchOptions', 'BaseRegularSearchOptions', 'DeepSearchOptions', 'NonDeepSearchOptions']],
  ['exa_contents', EXA, ['ContentsOptions']],
  ['exa_answer', EXA, ['AnswerOptions']],
  ['firecrawl_search', FIRECRAWL, ['SearchRequest']],
  ['firecrawl_scrape', FIRECRAWL, ['ScrapeOptions']],
];

/** The names of the fields of a declared type, without those of the types that it joins. */
function fieldsOf(text, type) {
  const [, body = ''] = new RegExp(`\\b(?:type ${type} =|interface ${type})[^{]*\\{\\n([^]*?)\\n\\}`).exec(text) ?? [];
  const names = [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name]) => name);
  if (names.length === 0) throw new Error(`no type ${type} is declared`);
  return names;
}

/** The fields that no row of their dialect names. */
export function fieldsWithoutRow(dialects) {
  return TYPES.flatMap(([name, text, types, wire = (field) => field]) => {
    const { read, ignored, refused } = dialects.find((dialect) => dialect.name === name).fields;
    const known = new Set([...read, ...ignored, ...Object.keys(refused)]);
    const fields = types.flatMap((type) => fieldsOf(text, type)).map(wire);
    return fields.filter((field) => !known.has(field)).map((field) => `${name}: ${field}`);
  });
}

import type { JsonSchema, OptionReader } from '../../base/options/read-request-options.js';
import { MAX_TAG_CHARACTERS, TAG_PATTERN } from '../../base/options/tag.js';
import { EXCLUSIVE_OPTIONS, SEARCH_READERS } from '../../base/search-options/read-search-options.js';
import type { SearchOption } from '../../base/search-options/search-options.js';
import { type AnswerFields, answerFieldsSchema, MAX_MODEL_CHARACTERS } from '../../request/answer-fields.js';
import { HARMLESS, REFUSED_FIELDS } from '../../request/refused-fields.js';
import { ROUTING_READERS } from '../../routing/read-routing-preferences.js';
import type { RoutingPreferences } from '../../routing/routing-preferences.js';
import { wireName } from '../wire-name.js';
import { inputSchema } from './json-schemas.js';

const SEARCH_TEXTS: Readonly<Record<SearchOption, string>> = {
  includeDomains: 'Only pages of these hosts and of those below them.',
  excludeDomains: 'No pages of these hosts nor of those below them.',
  freshness: 'Published within the last day, week, month or year.',
  publishedAfter: 'The first day that counts.',
  publishedBefore: 'The last day that counts; not before `published_after`.',
  country: 'Searches as if from this country: a code of ISO 3166-1 alpha-2 such as "DE".',
  language: 'Language of the pages: a code of ISO 639-1 such as "de".',
};

const ROUTING_TEXTS: Readonly<Record<keyof RoutingPreferences, string>> = {
  fallbacks: 'Models to try, in order, after the first has failed, instead of those that the operator has set.',
  sort: 'Tries the cheapest model first, or the one that has lately answered fastest.',
  maxCost: 'US dollars: models for which more would be held are not asked.',
};

/** The body of `POST /answer`. Fields that are not known are ignored, so the schema is open; `search` and `routing` are closed. */
export function answerRequestSchema(maxQueryCharacters: number): JsonSchema {
  const { $schema: _schema, properties, required } = inputSchema(answerFieldsSchema(maxQueryCharacters));
  const checked = properties as Readonly<Record<'model' | 'query' | 'includeCitations' | 'stream' | 'tag', JsonSchema>>;
  const texts: Readonly<Record<keyof AnswerFields, string>> = {
    model: 'A model of category `answer`, an alias or a group.',
    query: `The question. At most ${maxQueryCharacters.toLocaleString('en-US')} characters, without white space around it.`,
    includeCitations: 'Whether the answer comes with citations and markers. Default: true.',
    stream: 'Whether the answer is sent as events while it is written.',
    search: 'What the search is narrowed down to. A model that cannot honor all of it is refused.',
    routing: 'Which models may answer, in which order, and at what price at the most.',
    tag: "The caller's own word for what the call is for, such as a team: usage is summed up by it.",
  };
  // That the text has more in it than white space is checked by code.
  const query = { ...checked.query, minLength: 1, pattern: String.raw`\S` };
  const search = {
    ...optionsSchema(SEARCH_READERS, SEARCH_TEXTS),
    dependentSchemas: Object.fromEntries(EXCLUSIVE_OPTIONS.map(([one, other]) => [wireName(other), without(one)])),
  };
  // Generators of clients take a field with a default for one that has to be sent.
  const { default: _default, ...includeCitations } = checked.includeCitations;
  const fields: Readonly<Record<keyof AnswerFields, JsonSchema>> = {
    ...checked,
    model: { ...checked.model, maxLength: MAX_MODEL_CHARACTERS },
    includeCitations,
    query,
    tag: { type: ['string', 'null'], minLength: 1, maxLength: MAX_TAG_CHARACTERS, pattern: TAG_PATTERN },
    search,
    routing: optionsSchema(ROUTING_READERS, ROUTING_TEXTS),
  };
  const described = Object.entries(texts).map(([name, description]) => [
    wireName(name),
    { ...fields[name as keyof AnswerFields], description },
  ]);
  return {
    type: 'object',
    description:
      'A question. Filters, limits, instructions and costs of other services are refused, as are slips of the names below. Other fields that are not known are ignored.',
    properties: Object.fromEntries(described),
    dependentSchemas: { model: { patternProperties: REFUSED } },
    required,
    examples: [{ model: 'exa/answer', query: 'When did the Zephyr Bridge open?' }],
  };
}

const OPTIONS = [...Object.keys(SEARCH_READERS), ...Object.keys(ROUTING_READERS)].map(wireName);
const NO_FIELD = 'No field: leave it out.';
const ALWAYS_REFUSED = [...OPTIONS, ...REFUSED_FIELDS.keys()].filter((name) => !HARMLESS.has(name));
/** As patterns, and where generators of clients do not look: they would make fields of them. */
const REFUSED: JsonSchema = Object.fromEntries<JsonSchema>([
  [`^(?:${ALWAYS_REFUSED.join('|')})$`, { type: 'null', description: NO_FIELD }],
  ...[...HARMLESS].map(([name, values]) => [`^${name}$`, { enum: [null, ...values], description: NO_FIELD }] as const),
]);

/** Only options that are known, each of its kind; `null` asks for nothing. */
function optionsSchema<Option extends string>(
  readers: Readonly<Record<Option, OptionReader>>,
  texts: Readonly<Record<Option, string>>,
): JsonSchema {
  const properties = Object.entries<OptionReader>(readers).map(([option, { schema }]) => [
    wireName(option),
    { ...schema, description: texts[option as Option] },
  ]);
  return { type: ['object', 'null'], properties: Object.fromEntries(properties), additionalProperties: false };
}

function without(option: string): JsonSchema {
  return { properties: { [wireName(option)]: false } };
}

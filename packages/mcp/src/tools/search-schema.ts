const HOST = { type: 'string', description: 'A host name such as "example.org": no scheme, port, path or wildcard.' };
const HOSTS = { type: 'array', items: HOST, minItems: 1, maxItems: 20 };
const CODE = { type: 'string', pattern: '^[A-Za-z]{2}$' };
const DAY = { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}$` };

/** The `search` of `POST /api/v1/answer` as JSON schema. Only with keywords that Gemini takes: else it refuses the whole request. */
export const SEARCH_SCHEMA = {
  type: 'object',
  description:
    'Narrows the pages down that the answer may rest on. Not every model honors every option: list_models says which in "options".',
  properties: {
    include_domains: { ...HOSTS, description: 'Only pages of these hosts and their subdomains.' },
    exclude_domains: {
      ...HOSTS,
      description: 'No pages of these hosts and their subdomains. Not together with include_domains.',
    },
    freshness: {
      type: 'string',
      enum: ['day', 'week', 'month', 'year'],
      description: 'Only pages of the last day, week, month or year.',
    },
    published_after: {
      ...DAY,
      description: 'Only pages of this day or later, such as "2026-01-31". Not together with freshness.',
    },
    published_before: { ...DAY, description: 'Only pages of this day or earlier. Not together with freshness.' },
    country: { ...CODE, description: 'Searches as if from this country: ISO 3166-1 alpha-2, such as "DE".' },
    language: { ...CODE, description: 'Searches in this language: ISO 639-1, such as "de".' },
    topic: { type: 'string', enum: ['news'], description: 'Only news.' },
  },
};

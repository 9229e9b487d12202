/*
 * Names of filters, limits, instructions and costs that are no fields here: of other services with web search (as of 2026-11-26), and of our own at the
 * wrong place. Ignored, they would let a caller take an answer for filtered, short or cheap that is not, and be charged for it. What only samples or
 * labels (`temperature`, `top_p`, `seed`, `user`) is in no list: it is ignored.
 *
 * Written as on the wire; the same names in camel case count too.
 */

/** What has a place here, by that place. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  query: ['input', 'prompt', 'messages', 'question', 'queries', 'search_query', 'objective', 'contents'],
  includeCitations: ['citations', 'enable_citations', 'no_inline_citations', 'include_inline_citations'],
  tag: ['metadata'],
  'routing.fallbacks': ['models', 'provider', 'providers', 'fallback', 'fallback_models'],
  'routing.maxCost': ['max_price', 'data_max_price', 'max_spend', 'budget', 'max_budget', 'cost_limit', 'spend_limit'],
  search: ['search_options', 'search_parameters', 'web_search_options', 'web_search', 'filter', 'filters'],
  'search.includeDomains': [
    'domain',
    'domains',
    'site',
    'sites',
    'allowed_domains',
    'search_domain_filter',
    'included_sources',
    'only_hostnames',
    'boost_domains',
    'boost_hostnames',
  ],
  'search.excludeDomains': ['blocked_domains', 'excluded_domains', 'excluded_sources', 'bad_hostnames'],
  'search.freshness': ['search_recency_filter', 'recency', 'time_range', 'date_range', 'days', 'max_hours'],
  'search.publishedAfter': [
    'start_date',
    'from_date',
    'after_date',
    'since',
    'start_published_date',
    'start_crawl_date',
    'search_after_date_filter',
    'last_updated_after_filter',
  ],
  'search.publishedBefore': [
    'end_date',
    'to_date',
    'before_date',
    'until',
    'end_published_date',
    'end_crawl_date',
    'search_before_date_filter',
    'last_updated_before_filter',
  ],
  'search.country': ['country_code', 'region', 'location', 'user_location', 'gl', 'uule'],
  'search.language': [
    'lang',
    'language_code',
    'language_filter',
    'language_preference',
    'search_lang',
    'search_language_code',
    'search_language_filter',
    'filter_by_language',
    'hl',
    'lr',
  ],
};

/** What has none. */
const NOWHERE = [
  // Filters.
  ...[
    'topic',
    'category',
    'search_mode',
    'search_type',
    'search_depth',
    'depth',
    'search_context_size',
    'source_biases',
  ],
  ...['safesearch', 'safety_settings', 'guardrails', 'moderation', 'exact_match', 'include_text'],
  ...[
    'exclude_text',
    'source_control',
    'include_domains_mode',
    'min_annotation_relevance',
    'urls',
    'documents',
    'files',
  ],
  // Limits.
  ...['max_tokens', 'max_output_tokens', 'max_completion_tokens', 'max_tokens_per_page', 'max_results', 'num_results'],
  ...['num', 'count', 'limit', 'top_n', 'offset', 'page', 'max_total_results', 'max_returned_urls', 'max_annotations'],
  ...[
    'max_citations',
    'max_characters',
    'max_chars',
    'max_words',
    'max_length',
    'max_uses',
    'max_searches',
    'max_steps',
  ],
  ...['max_turns', 'max_tool_calls', 'max_attempts', 'max_messages', 'chunks_per_source', 'content_size', 'timeout'],
  ...['timeout_ms', 'research_maximum_number_of_queries', 'stop', 'stop_sequence', 'stop_sequences'],
  // Instructions, what was said before, and the form of the answer.
  ...[
    'system',
    'system_prompt',
    'system_instruction',
    'system_instructions',
    'instruction',
    'instructions',
    'developer',
  ],
  ...['custom_instructions', 'search_prompt', 'context', 'history', 'chat_history', 'conversation', 'conversation_id'],
  ...['previous_response_id', 'previous_interaction_id', 'response_format', 'response_schema', 'response_mime_type'],
  ...['output_schema', 'output_type', 'output_format', 'json_schema', 'schema', 'structured_output', 'verbosity'],
  ...['structured_output_schema', 'text_format', 'json_restrictor', 'tools', 'tool_config', 'functions', 'plugins'],
  ...['return_images', 'return_related_questions'],
  // What an answer costs.
  ...['budget_tokens', 'thinking_budget', 'return_token_budget', 'effort', 'reasoning_effort', 'research_effort'],
  ...['cache', 'no_cache'],
];

/** The place that belongs to a name, in camel case, or `null` where there is none. */
export const REFUSED_FIELDS: ReadonlyMap<string, string | null> = new Map([
  ...NOWHERE.map((name) => [name, null] as const),
  ...Object.entries(PLACES).flatMap(([place, names]) => names.map((name) => [name, place] as const)),
]);

/** Real names of other services that are near one of ours, and ask for nothing that is in the lists. */
export const NO_SLIPS: ReadonlySet<string> = new Set(['mode']);

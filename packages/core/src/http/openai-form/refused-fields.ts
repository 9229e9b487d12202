/*
 * Names of filters, limits, instructions and costs that this API refuses: names of other services with web search (as of 2026-11-26), and own names at the
 * wrong place. If they were ignored, callers would pay for an answer that only seems to be filtered, short or cheap. Names that only affect sampling or
 * label a call (`temperature`, `top_p`, `seed`, `user`) are not listed: they are ignored.
 *
 * Written as on the wire. Case, hyphens and underscores are not significant.
 */

/** Names with an equivalent field here, by that field. */
const PLACES: Readonly<Record<string, string>> = {
  query: 'input prompt messages question queries search_query objective contents',
  includeCitations:
    'citations enable_citations no_inline_citations inline_citations include_inline_citations return_citations show_citations include_sources return_sources',
  tag: 'metadata',
  'routing.fallbacks': 'models provider providers fallback fallback_models',
  'routing.maxCost': 'max_price data_max_price price_limit max_usd max_spend budget max_budget cost_limit spend_limit',
  'routing.require': 'policies zdr zero_data_retention data_collection',
  search: 'extra_body search_options search_parameters web_search_options web_search filter filters',
  'search.includeDomains':
    'domain domains site sites allowed_domains search_domain_filter included_sources only_hostnames boost_domains boost_hostnames',
  'search.excludeDomains': 'blocked_domains excluded_domains excluded_sources bad_hostnames',
  'search.freshness': 'search_recency_filter recency time_range date_range days max_hours',
  'search.publishedAfter':
    'start_date from_date date_from after_date since start_published_date start_crawl_date search_after_date_filter last_updated_after_filter',
  'search.publishedBefore':
    'end_date to_date date_to before_date until end_published_date end_crawl_date search_before_date_filter last_updated_before_filter',
  'search.country': 'country_code countries region location user_location gl uule',
  'search.language':
    'lang language_code language_filter language_preference search_lang search_language_code search_language_filter filter_by_language hl lr',
};

/** Names without an equivalent. */
const NOWHERE = `
  topic category search_mode search_type search_depth depth search_context_size source_biases safesearch
  safety_settings guardrails moderation exact_match include_text exclude_text source_control
  include_domains_mode min_annotation_relevance urls documents files include exclude images engine livecrawl
  enable_search max_tokens max_output_tokens max_completion_tokens max_tokens_per_page max_results num_results
  num count limit top_n offset page max_total_results max_returned_urls max_annotations max_citations
  max_characters max_chars max_words max_length max_uses max_searches max_steps max_turns max_tool_calls
  max_attempts max_messages chunks_per_source content_size timeout timeout_ms research_maximum_number_of_queries
  stop stop_sequence stop_sequences n system system_prompt system_instruction system_instructions instruction
  instructions developer custom_instructions additional_instructions persona preset transforms search_prompt
  context history chat_history conversation conversation_id previous_response_id previous_interaction_id
  response_format response_schema response_mime_type output_schema output_type output_format json_schema schema
  structured_output verbosity structured_output_schema text_format text format modalities audio logprobs
  top_logprobs logit_bias json_restrictor tools tool_choice tool_config functions function_call plugins
  return_images return_related_questions budget_tokens thinking_budget return_token_budget effort
  reasoning_effort reasoning thinking research_effort cache no_cache`
  .trim()
  .split(/\s+/);

/** The field to use in place of a name, in camel case; `null` when no field fits. */
export const REFUSED_FIELDS: ReadonlyMap<string, string | null> = new Map([
  ...NOWHERE.map((name) => [name, null] as const),
  ...Object.entries(PLACES).flatMap(([place, names]) => names.split(' ').map((name) => [name, place] as const)),
]);

/** Values, besides `null`, that ask for nothing special: fields with them are accepted. As on the wire. */
export const HARMLESS: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['tool_choice', ['none', 'auto']],
  ['function_call', ['none', 'auto']],
  ['n', [1]],
  ['logprobs', [false]],
  ['top_logprobs', [0]],
  ['modalities', [['text']]],
  ['response_format', [{ type: 'text' }]],
  ['text', [{ format: { type: 'text' } }]],
]);

/** Names of other services that look like misspelled fields of this API, but are harmless. */
export const NO_SLIPS: ReadonlySet<string> = new Set(['mode']);

/** The meaning of the flags in `features`. Models that are only listed have all flags that apply; for callable models see `isServed`. */
export const FEATURE_FLAGS = {
  // Search, extract and answer
  content: 'full page text can come back in the same call',
  highlights: 'passages related to the query, longer than a description',
  summary: 'a summary per page, written by a model',
  domains_filter: 'includes or excludes domains',
  date_filter: 'bounds by date or freshness',
  location: 'targets a country or place',
  language_filter: 'restricts to or prefers a language',
  category_filter: 'picks a kind of source, such as papers, companies or code',
  news: 'news results',
  images: 'image results or images of a page',
  safe_search: 'filters adult content',
  custom_ranking: 'ranking rules of the caller',
  multi_query: 'several queries in one call',
  livecrawl: 'can fetch the page now instead of using a cached copy',
  structured_output: 'a result in the JSON schema of the caller',
  markdown: 'page text as markdown',
  html: 'raw or cleaned HTML',
  js_render: 'runs the scripts of a page first',
  screenshot: 'an image of the page',
  pdf: 'reads PDF documents',
  batch_urls: 'several addresses in one call',
  // Vectors and ranks
  dimensions_param: 'the length of the vector can be chosen',
  input_type: 'tells queries from documents, or takes a hint about the task',
  quantization: 'int8 or binary vectors',
  contextual: 'encodes a passage together with its document',
  code: 'trained for source code',
  instructions: 'follows written instructions about relevance',
  long_context: '30,000 tokens or more for a query and a document',
  return_documents: 'can echo the ranked texts',
  structured_documents: 'ranks JSON or YAML records',
  multilingual: 'documented for many languages',
  multimodal: 'takes images or other media besides text',
  // Answer
  citations: 'returns the sources it used',
  streaming: 'can stream',
  reasoning: 'spends reasoning tokens before it answers',
  deep_research: 'researches in many steps; takes long',
  json_schema: 'answers in a JSON schema of the caller, and still cites',
  multi_turn: 'takes the earlier messages of a conversation',
  // Life cycle
  legacy: 'superseded by its vendor, still supported',
  deprecated: 'its vendor announced an end, or advises against new use',
} as const;

export type FeatureFlag = keyof typeof FEATURE_FLAGS;

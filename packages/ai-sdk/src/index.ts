export { createSearchgate, type SearchgateProvider, type SearchgateSettings } from './create-searchgate.js';
export type {
  SearchgateEmbeddingOptions,
  SearchgateModelSettings,
  SearchgateOptions,
  SearchToolSettings,
} from './searchgate-options.js';
export type { SearchgateRerankingOptions } from './reranking-model.js';
export type { SearchgateErrorData, SearchToolOutput } from './wire.js';

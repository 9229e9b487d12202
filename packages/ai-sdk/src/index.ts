export { createSearchgate, type SearchgateProvider, type SearchgateSettings } from './create-searchgate.js';
export type {
  SearchgateEmbeddingOptions,
  SearchgateModelSettings,
  SearchgateOptions,
  SearchgateRerankingOptions,
  SearchToolSettings,
} from './searchgate-options.js';
export type { SearchgateErrorData, SearchToolOutput } from './wire.js';

export { createSearchgate, type SearchgateProvider, type SearchgateSettings } from './create-searchgate.js';
export type { SearchgateModelSettings, SearchgateOptions } from './searchgate-options.js';
export type { SearchgateErrorData } from './wire.js';

export { PROVIDER_TABLE, type ProviderEntry } from './provider-table.js';
export { runService } from './run-service.js';
export { createStandaloneService, type StandaloneService } from './standalone-service.js';

export { runService } from './run-service.js';
export type { StandaloneService } from './standalone-service.js';

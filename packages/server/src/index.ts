export { runService } from './run-service.js';
export type { Service } from './service.js';

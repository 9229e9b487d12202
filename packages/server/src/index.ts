export type { AdminPageHost, BuildAdminPage } from './admin-page.js';
export type { DemoDocuments } from './indexed-documents.js';
export { type RunOptions, runService } from './run-service.js';
export { createService, type Service, type ServiceOptions } from './service.js';

export { demoDocuments, folderDocuments } from './documents.js';
export { localDocs } from './local-docs-provider.js';
export type { LocalDocument } from './local-document.js';

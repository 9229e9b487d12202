export { DEMO_QUESTIONS, demoDocuments, folderDocuments, type LocalDocument } from './documents.js';
export { localDocs } from './local-docs-provider.js';

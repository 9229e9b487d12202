export { folderDocuments } from './folder-documents.js';
export { localDocs } from './local-docs-provider.js';
export type { LocalDocument } from './local-document.js';
export { packageDocuments } from './package-documents.js';

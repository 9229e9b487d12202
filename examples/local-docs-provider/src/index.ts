export { folderDocuments } from './folder-documents.js';
export { type LocalDocsOptions, localDocs } from './local-docs-provider.js';
export type { LocalDocument } from './local-document.js';
export { DOCUMENTED_PACKAGES, type DocumentedPackage, packageDocuments } from './package-documents.js';

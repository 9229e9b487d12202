/** Writes the tables of docs/providers.md, docs/conversations.md and docs/providers/*.md, and the list in packages/core/README.md, from the providers' rows: `npm run docs:providers`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { everyProvider } from './every-provider.js';
import { providerDocuments } from './provider-docs/provider-documents.js';

const root = join(import.meta.dirname, '../..');
const documents = providerDocuments(root, everyProvider());
const outdated = documents.filter(({ current, wanted }) => current !== wanted);
for (const { path, wanted } of outdated) {
  writeFileSync(join(root, path), wanted);
  console.log(`wrote ${path}`);
}
console.log(`${documents.length} documents, ${documents.length - outdated.length} of them unchanged`);

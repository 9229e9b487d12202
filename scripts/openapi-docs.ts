/** Writes docs/openapi.json, the document that a gateway with the default options serves: `npm run docs:openapi`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../packages/core/src/openapi/open-api-document.js';

const path = join(import.meta.dirname, '..', 'docs', 'openapi.json');
writeFileSync(path, `${JSON.stringify(openApiDocument({ extensions: { openapi: true } }), null, 2)}\n`);
console.log('wrote docs/openapi.json');

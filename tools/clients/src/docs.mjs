/** Writes the table of clients into the documents. */
import { writeFileSync } from 'node:fs';
import { page, wanted } from './table.mjs';

writeFileSync(page, wanted);

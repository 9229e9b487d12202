/** Writes the table of docs/errors.md from the table of reasons: `npm run docs:errors`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withReasons } from './error-docs/reason-table.js';

const path = join(import.meta.dirname, '../../docs/errors.md');
writeFileSync(path, withReasons(readFileSync(path, 'utf8')));

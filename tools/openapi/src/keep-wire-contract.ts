import { writeFileSync } from 'node:fs';
import { presentContract } from './wire-contract.js';

/* Keeps the present contract as that of the version that is released next. Of a released version it never changes. */
writeFileSync(new URL('wire-contract.json', import.meta.url), `${JSON.stringify(presentContract(), null, 2)}\n`);

/** Administers the ledger of the service from a checkout: `npm run admin -- --help`. */
import { runAdminProcess } from '../admin/run-admin.js';

const code = await runAdminProcess(process.argv.slice(2), {
  command: 'npm run admin --',
  environment: process.env,
});
// Output that could not be written has set another one.
if (code !== 0) process.exitCode = code;

/** Administers the ledger of the service from a checkout: `npm run admin -- --help`. */
import { runAdminProcess } from '../admin/run-admin.js';

const code = await runAdminProcess(process.argv.slice(2), {
  stdin: process.stdin,
  command: 'npm run admin --',
  environment: process.env,
});
// A failed write to the output has already set an exit code.
if (code !== 0) process.exitCode = code;

/** Administers the ledger of the service from a checkout: `npm run admin -- --help`. */
import { runAdminProcess } from '../admin/run-admin-process.js';

process.exitCode = await runAdminProcess(process.argv.slice(2), {
  command: 'npm run admin --',
  environment: process.env,
});

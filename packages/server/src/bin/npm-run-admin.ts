/** Administers the ledger of the service: `npm run admin -- --help`. */
import { runAdmin } from './run-admin.js';

// The write that finds a pipe closed gets the error.
process.stdout.on('error', () => undefined);

process.exitCode = await runAdmin(process.argv.slice(2), {
  environment: process.env,
  out: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
    }),
  err: (text) => process.stderr.write(text),
});

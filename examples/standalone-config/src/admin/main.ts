/** Administers the ledger of the service: `npm run admin -- --help`. */
import { runAdmin } from './run-admin.js';

// What a closed pipe does is told to the write that finds it closed.
process.stdout.on('error', () => undefined);

process.exitCode = await runAdmin(process.argv.slice(2), {
  environment: process.env,
  out: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
    }),
  err: (text) => process.stderr.write(text),
});

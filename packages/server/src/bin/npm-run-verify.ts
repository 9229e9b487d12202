/** Calls the configured models from a checkout: `npm run verify -- --help`. */
import { runVerifyProcess } from '../verify/verify-command.js';

const code = await runVerifyProcess(process.argv.slice(2), {
  command: 'npm run verify --',
  environment: process.env,
});
// A failed write to the output has already set an exit code.
if (code !== 0) process.exitCode = code;

/** Calls the configured models from a checkout, and compares their replies with the fixtures: `npm run verify -- --help`. */
import { fileURLToPath } from 'node:url';
import { runVerifyProcess } from '../verify/verify-command.js';

const code = await runVerifyProcess(process.argv.slice(2), {
  command: 'npm run verify --',
  environment: process.env,
  fixtures: fileURLToPath(new URL('../../../core/src/providers', import.meta.url)),
});
// A failed write to the output has already set an exit code.
if (code !== 0) process.exitCode = code;

/** Asks one real provider, with the key of the environment: `npm run try -- exa/answer "…"`. */
import { runTry } from './try/run-try.js';

process.exitCode = await runTry(process.argv.slice(2), {
  environment: process.env,
  now: () => new Date(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});

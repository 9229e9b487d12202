import { CATEGORIES, type NanoUsd, parseUsd } from '@searchgate/core';
import { InvalidArgumentError } from 'commander';
import { names } from '../admin/option-values.js';
import { exitCodeOf, interruptSignal, newProgram, processOutput } from '../admin/run-admin.js';
import { redactorOf } from '../redactor.js';
import { type VerifyContext, type VerifyOptions, verifyModels } from './verify-models.js';

const MISUSED = 2;

/** Calls every configured model once, for real. @returns the exit code: 0; 1 for a fault; 2 where nothing could be checked. */
export async function runVerify(argv: readonly string[], context: VerifyContext): Promise<number> {
  let redact = (text: string) => text;
  const out = (text: string) => context.out(redact(text));
  const err = (text: string) => context.err(redact(text));
  try {
    const { config, ...options } = parseVerifyOptions(argv, context);
    const environment = { ...context.environment, ...(config && { SEARCHGATE_CONFIG: config }) };
    redact = redactorOf(environment);
    return await verifyModels(options, { ...context, environment, redact, out, err });
  } catch (error) {
    return exitCodeOf(error, { ...context, err }) && MISUSED;
  }
}

function parseVerifyOptions(argv: readonly string[], context: VerifyContext) {
  return newProgram(context)
    .description('Calls every configured model once, for real and for money, and checks its reply.')
    .option('--config <file>', 'the JSON file, as for a start')
    .option('--only <names>', 'these providers and models: exa,cohere/rerank-v4.0-pro', names, [])
    .option('--kinds <kinds>', `these kinds of ${CATEGORIES.join(', ')}`, names, [])
    .option('--budget <usd>', 'the most to spend, in USD', usd, parseUsd('0.5'))
    .option('--stream', 'streams too', false)
    .option('--options', 'each search option too', false)
    .option('--record <folder>', 'writes the replies, without keys, ids and accounts')
    .option('--json', 'prints JSON', false)
    .option('--yes', 'does not ask before it spends', false)
    .addHelpText('after', '\nExit codes: 0 nothing is wrong, 1 a fault, 2 nothing could be checked.')
    .parse([...argv], { from: 'user' })
    .opts<VerifyOptions & { readonly config?: string }>();
}

function usd(text: string): NanoUsd {
  if (/^\d+(?:\.\d{1,9})?$/.test(text) && parseUsd(text) > 0n) return parseUsd(text);
  throw new InvalidArgumentError('It is a decimal of USD above 0, such as 0.50.');
}

/** Runs the command as a process. The first SIGINT ends the run in order, a second one at once. */
export function runVerifyProcess(
  argv: readonly string[],
  context: Pick<VerifyContext, 'command' | 'environment' | 'fixtures'>,
): Promise<number> {
  const [{ stdin }, signal] = [process, interruptSignal()];
  // Ends a question that is still open.
  signal.addEventListener('abort', () => stdin.destroy());
  const clocks = { now: Date.now, elapsedMs: () => performance.now() };
  return runVerify(argv, { ...context, ...processOutput(), ...clocks, stdin, signal });
}

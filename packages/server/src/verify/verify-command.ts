import { CATEGORIES, ConfigurationError, type NanoUsd, parseUsd } from '@searchgate/core';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { outliveOutputErrors } from '../output-errors.js';
import { redactorOf } from '../redactor.js';
import { type VerifyContext, type VerifyOptions, verifyModels } from './verify-models.js';

const MISUSED = 2;

/** Calls every configured model once, for real. @returns the exit code: 0; 1 for a fault; 2 where nothing could be checked. */
export async function runVerify(argv: readonly string[], context: VerifyContext): Promise<number> {
  let redact = (text: string) => text;
  try {
    const options = parseVerifyOptions(argv, context);
    const environment = { ...context.environment, ...(options.config && { SEARCHGATE_CONFIG: options.config }) };
    redact = redactorOf(environment);
    const out = (text: string) => context.out(redact(text));
    const err = (text: string) => context.err(redact(text));
    return await verifyModels(options, { ...context, environment, redact, out, err });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
    if (!(error instanceof ConfigurationError)) throw error;
    context.err(redact(`${error.message}\n`));
    return MISUSED;
  }
}

function parseVerifyOptions(argv: readonly string[], { command, out, err }: VerifyContext) {
  const names = (text: string) => text.split(',').map((name) => name.trim());
  return new Command(command)
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
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
    .parse([...argv], { from: 'user' })
    .opts<VerifyOptions & { readonly config?: string }>();
}

function usd(text: string): NanoUsd {
  try {
    const amount = parseUsd(text);
    if (amount > 0n) return amount;
  } catch {
    // Told below, like any text that is no amount.
  }
  throw new InvalidArgumentError('It is a decimal of USD above 0, such as 0.50.');
}

/** Runs the command as a process. The first SIGINT ends the run in order, a second one at once. */
export async function runVerifyProcess(
  argv: readonly string[],
  context: Pick<VerifyContext, 'command' | 'environment' | 'fixtures'>,
): Promise<number> {
  outliveOutputErrors();
  const interrupt = new AbortController();
  process.once('SIGINT', () => {
    interrupt.abort();
    // Ends a question that is still open.
    process.stdin.destroy();
  });
  return runVerify(argv, {
    ...context,
    stdin: process.stdin,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    signal: interrupt.signal,
    now: Date.now,
    elapsedMs: () => performance.now(),
  });
}

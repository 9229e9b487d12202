import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClient, type ModelsBody } from '@searchgate/client';
import { formatUsd, parseUsd } from '@searchgate/core';
import { parseOptions } from '@searchgate/core/provider-kit';
import { z } from 'zod';
import { amount, names } from '../admin/option-values.js';
import { exitCodeOf, interruptSignal, newProgram, processOutput } from '../admin/run-admin.js';
import type { AdminContext } from '../admin/runner.js';
import { printable } from '../admin/table.js';
import type { Environment } from '../environment.js';
import { problem } from '../problems.js';
import { resultsOf } from './figures.js';
import { COMPARED, type ComparedCategory, parseQuestions, type Question, suits } from './questions.js';
import { reportsOf } from './report.js';
import { type RunOptions, runCalls } from './run-calls.js';
import { callsOf, openState } from './state-file.js';

/** Longer than any model of the catalog needs: a call that is given up may be paid all the same. */
const TIMEOUT_MS = 3_600_000;
const PROGRESS_LINES = 20;

const NOTES = `
Exit codes: 0 all calls are done, 1 refused, failed or ended early, 2 wrong command line.
The same command goes on with an interrupted run, and pays nothing twice.
More: https://github.com/searchgate/searchgate/blob/main/docs/eval.md`;

const matching = (pattern: RegExp, expected: string) => z.string(expected).regex(pattern, expected);
const whole = (least: number, most: number, expected = `a whole number from ${least} to ${most}`) =>
  z.int(expected).min(least, expected).max(most, expected);
const optionsSchema = z.strictObject({
  url: matching(/^https?:\/\/[^\s?#@]+$/, 'the address of a gateway'),
  // Errors show no value of a field of this name.
  apiKey: matching(/^[!-~]+$/, 'an API key of the gateway'),
  models: z.array(z.string()),
  maxCost: z.string(),
  out: matching(/[^/\\]\.json$/, 'the name of a file that ends in .json'),
  runs: whole(1, 100),
  concurrency: whole(1, 64),
  seed: whole(0, 2 ** 32 - 1),
  tag: matching(/^[!-~](?:[ -~]{0,62}[!-~])?$/, '1 to 64 printable ASCII characters, with no space at either end'),
});

/** The process of the command. */
export interface EvalContext extends Omit<AdminContext, 'stdin'>, Pick<RunOptions, 'signal' | 'wait'> {
  readonly now: () => Date;
}

/** Runs `searchgate eval`. @returns the exit code: 0 for a whole run, 1 if it was refused or ended early, 2 for a wrong command line. */
export async function runEval(argv: readonly string[], context: EvalContext): Promise<number> {
  try {
    const program = newProgram(context)
      .description('Asks models the same questions, and compares what they answer, cost and take.')
      .argument('<questions>', 'a file with a question in each line, as JSON')
      .requiredOption('--models <slugs>', 'separated by commas', names)
      .requiredOption('--max-cost <usd>', 'ends the run before a call that could exceed it', amount)
      .requiredOption('--out <file>', 'the report, such as report.json; report.md and report.html are beside it')
      .option('--url <url>', 'the gateway; else SEARCHGATE_URL')
      .option('--key <key>', 'an API key; else SEARCHGATE_API_KEY, which other users of the machine do not see')
      .option('--runs <count>', 'how often each question is asked', Number, 1)
      .option('--concurrency <count>', 'calls at once', Number, 4)
      .option('--seed <number>', 'of the resamples', Number, 1)
      .option('--tag <tag>', 'of the calls, for the usage by tag', 'eval')
      .addHelpText('after', NOTES)
      .parse([...argv], { from: 'user' });
    const { SEARCHGATE_URL: url, SEARCHGATE_API_KEY: byDefault } = context.environment;
    const { key: apiKey = byDefault, ...given } = program.opts<{ readonly key?: string }>();
    const options = parseOptions(optionsSchema, { url, ...given, apiKey }, '');
    return Number(!(await evaluate(program.args[0] ?? '', options, context)));
  } catch (error) {
    return exitCodeOf(error, context);
  }
}

/** Runs it as a process. Ctrl-C ends it after the calls under way, which are paid; a second one ends it at once. */
export function runEvalProcess(argv: readonly string[], environment: Environment): Promise<number> {
  const fixed = { command: 'searchgate eval', environment, signal: interruptSignal(), now: () => new Date() };
  return runEval(argv, { ...processOutput(), ...fixed });
}

/** @returns whether all calls are done. */
async function evaluate(file: string, options: z.output<typeof optionsSchema>, context: EvalContext): Promise<boolean> {
  const questions = parseQuestions(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  // Other clients need the path of the API in the address.
  const baseUrl = options.url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  const client = createClient({ baseUrl, apiKey: options.apiKey, maxRetries: 0, timeoutMs: TIMEOUT_MS });
  const { data } = await client.models({ signal: context.signal });
  const models = chosenModels(options.models, data, questions);
  const base = options.out.slice(0, -'.json'.length);
  const state = openState(`${base}.state.jsonl`);
  try {
    const { runs, seed, maxCost } = options;
    const calls = callsOf(questions, models, { run: state.run, url: baseUrl, runs });
    const write = (ended: string | null) => {
      const [createdAt, spent] = [context.now().toISOString(), formatUsd(state.spent())];
      const facts = { createdAt, url: baseUrl, runs, seed, maxCost, calls: calls.length, spent, ended };
      const texts = reportsOf(resultsOf(calls, state.outcomes), facts);
      // Each under its name only when it is whole.
      for (const [ending, text] of Object.entries(texts)) {
        writeFileSync(`${base}.${ending}.draft`, text);
        renameSync(`${base}.${ending}.draft`, `${base}.${ending}`);
      }
      return texts.md;
    };
    // Also shows before any call is paid that the files can be written.
    write('it is under way, or its process was killed');
    const step = Math.ceil(calls.length / PROGRESS_LINES);
    const onProgress = (left: number) => {
      const done = `${calls.length - left} of ${calls.length} calls, $${formatUsd(state.spent())}\n`;
      if (left % step === 0) context.err(done);
    };
    const terms = { ...context, ...options, maxCost: parseUsd(maxCost), prices: pricesOf(data) };
    const ended = await runCalls(calls, { ...terms, client, state, onProgress });
    await context.out(write(ended));
    if (ended !== null) context.err(`error: the run ended early: ${printable(ended)}\n`);
    return ended === null;
  } finally {
    state.close();
  }
}

type Models = ModelsBody['data'];

/** @throws ConfigurationError for models that cannot be called or compared, and for models that no line suits. */
function chosenModels(
  asked: readonly string[],
  listed: Models,
  questions: readonly Question[],
): Map<string, ComparedCategory> {
  const callable = listed.flatMap(({ id, category, callable: isCallable }) => {
    const compared = COMPARED.find((each) => isCallable && each === category);
    return compared === undefined ? [] : [[id, compared] as const];
  });
  const ids = callable.map(([id]) => id);
  const known = z.enum(ids, `a model of ${COMPARED.join(', ')} that this gateway can call`);
  const chosen = parseOptions(z.array(known), asked, '--models');
  const models = callable.filter(([id]) => chosen.includes(id));
  const unused = models.find(([, category]) => !questions.some((question) => suits(question, category)));
  if (unused === undefined) return new Map(models);
  throw problem('--models', `${unused[0]}, which no line is for`, `lines for models of ${unused[1]}: docs/eval.md`);
}

/** The list prices of calls. Others are learned from the gateway's first refusal. */
function pricesOf(listed: Models): Map<string, bigint> {
  const prices = listed.map(({ id, pricing: { request = '-1' } }) => [id, parseUsd(request)] as const);
  return new Map(prices.filter(([, price]) => price >= 0n));
}

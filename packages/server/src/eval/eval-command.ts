import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClient, type ModelsBody } from '@searchgate/client';
import { formatUsd, type NanoUsd, parseUsd } from '@searchgate/core';
import { parseOptions } from '@searchgate/core/provider-kit';
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { amount } from '../admin/option-values.js';
import { exitCodeOf, processOutput } from '../admin/run-admin.js';
import type { AdminContext } from '../admin/runner.js';
import { printable } from '../admin/table.js';
import type { Environment } from '../environment.js';
import { problem } from '../problems.js';
import { resultsOf } from './build-report.js';
import { COMPARED, type ComparedCategory, parseQuestions, type Question, suits } from './questions.js';
import { buildReport } from './report.js';
import { htmlReport } from './report-html.js';
import { type RunOptions, runCalls, spentOf } from './run-calls.js';
import { type Call, callsOf, openState, type State } from './state-file.js';

/** Longer than any model of the catalog needs: a call that is given up may be paid all the same. */
const TIMEOUT_MS = 3_600_000;

const NOTES = `
Exit codes: 0 all calls are done, 1 refused, failed or ended early, 2 wrong command line.
An interrupted run goes on with the same command, and pays nothing twice.
More: https://github.com/searchgate/searchgate/blob/main/docs/eval.md`;

interface EvalOptions {
  readonly url?: string;
  readonly key?: string;
  readonly models: readonly string[];
  readonly runs: number;
  readonly maxCost: string;
  readonly out: string;
  readonly concurrency: number;
  readonly seed: number;
  readonly tag: string;
}

/** The process of the command. */
export interface EvalContext extends AdminContext, Pick<RunOptions, 'signal' | 'wait'> {
  readonly nowMs: () => number;
}

/** Runs `searchgate eval`. @returns the exit code: 0 for a whole run, 1 if it was refused or ended early, 2 for a wrong command line. */
export async function runEval(argv: readonly string[], context: EvalContext): Promise<number> {
  let isWhole = false;
  const program = new Command(context.command)
    .description('Asks models the same questions, and compares what they answer, cost and take.')
    .argument('<questions>', 'a file with a question in each line, as JSON')
    .requiredOption('--models <slugs>', 'separated by commas', (text: string) => text.split(','))
    .requiredOption('--max-cost <usd>', 'ends the run before a call that could exceed it', amount)
    .requiredOption(
      '--out <file>',
      'the report, such as report.json; report.md and report.html are beside it',
      jsonFile,
    )
    .option('--url <url>', 'the gateway; else SEARCHGATE_URL')
    .option('--key <key>', 'an API key; else SEARCHGATE_API_KEY, which other users of the machine do not see')
    .option('--runs <count>', 'how often each question is asked', whole(1, 100), 1)
    .option('--concurrency <count>', 'calls at once', whole(1, 64), 4)
    .option('--seed <number>', 'of the resamples', whole(0, 2 ** 32 - 1), 1)
    .option('--tag <tag>', 'of the calls, for the usage by tag', 'eval')
    .addHelpText('after', NOTES)
    .configureOutput({ writeOut: (text) => void context.out(text).catch(() => undefined), writeErr: context.err })
    .showSuggestionAfterError()
    .exitOverride()
    .action(async (file: string, options: EvalOptions) => {
      isWhole = await evaluate(file, options, context);
    });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return Number(!isWhole);
  } catch (error) {
    return exitCodeOf(error, context);
  }
}

/** Runs it as a process. Ctrl-C ends it after the calls under way, which are paid; a second one ends it at once. */
export function runEvalProcess(argv: readonly string[], environment: Environment): Promise<number> {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  const output = processOutput();
  return runEval(argv, {
    ...output,
    command: 'searchgate eval',
    environment,
    signal: interrupt.signal,
    nowMs: Date.now,
  });
}

/** @returns whether all calls are done. */
async function evaluate(file: string, options: EvalOptions, context: EvalContext): Promise<boolean> {
  const { runs, seed, tag, concurrency } = options;
  const questions = parseQuestions(readQuestions(file));
  const { url, key } = accessOf(options, context.environment);
  const client = createClient({ baseUrl: url, apiKey: key, maxRetries: 0, timeoutMs: TIMEOUT_MS });
  const { data } = await client.models({ signal: context.signal });
  const models = chosenModels(options.models, data, questions);
  const base = options.out.slice(0, -'.json'.length);
  const state = openState(`${base}.state.jsonl`, `${url}\n${key}`);
  const calls = callsOf(state, questions, { models, runs });
  const maxCost = parseUsd(options.maxCost);
  const facts = { url, runs, seed, maxCost, calls: calls.length };
  const write = (ended: string | undefined) => {
    const results = resultsOf(calls, state.outcomes);
    const report = buildReport(results, { ...facts, ended, spent: spentOf(state), nowMs: context.nowMs() });
    writeReport(base, { json: report.json, md: report.markdown, html: htmlReport(report) });
    return report;
  };
  try {
    // Also shows before any call is paid that the files can be written.
    write('it is under way, or its process was killed');
    const onProgress = progressOf(calls, state, context);
    const prices = pricesOf(data);
    const ended = await runCalls(calls, { ...context, client, state, concurrency, maxCost, prices, tag, onProgress });
    const { markdown } = write(ended);
    await context.out(markdown);
    if (ended !== undefined) context.err(`error: the run ended early: ${printable(ended)}\n`);
    return ended === undefined;
  } finally {
    state.close();
  }
}

function readQuestions(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw problem('questions', (error as Error).message, 'a file of JSON lines');
  }
}

/** The address without the path of the API, which other clients need in it. */
function accessOf(options: EvalOptions, environment: Environment): { readonly url: string; readonly key: string } {
  const { url: given = environment['SEARCHGATE_URL'], key = environment['SEARCHGATE_API_KEY'] } = options;
  const url = given?.replace(/\/+$/, '').replace(/\/api\/v1$/, '') ?? '';
  if (!/^https?:\/\/[^\s?#@]+$/.test(url) || !URL.canParse(url))
    throw problem('--url', given === undefined ? 'nothing' : 'another text', 'the address of a gateway');
  if (key === undefined || !/^[!-~]+$/.test(key))
    throw problem('--key', key ? 'characters that no key has (not shown)' : 'nothing', 'an API key of the gateway');
  return { url, key };
}

/** @throws ConfigurationError for models that cannot be called or compared, and for models that no line suits. */
function chosenModels(names: readonly string[], listed: Models, questions: readonly Question[]) {
  const categories = new Map<string, ComparedCategory>();
  for (const { id, category, callable } of listed) {
    const compared = COMPARED.find((each) => each === category);
    if (callable && compared !== undefined) categories.set(id, compared);
  }
  const known = z.enum([...categories.keys()], `a model of ${COMPARED.join(', ')} that this gateway can call`);
  const chosen = parseOptions(
    z.array(known),
    names.map((name) => name.trim()),
    '--models',
  );
  const models = new Map([...categories].filter(([id]) => chosen.includes(id)));
  for (const [id, category] of models)
    if (!questions.some((question) => suits(question, category)))
      throw problem('--models', `${id}, which no line is for`, `lines for models of ${category}: docs/eval.md`);
  return models;
}

/** The list prices of calls. Others are learned from the gateway's first refusal. */
function pricesOf(listed: Models): Map<string, NanoUsd> {
  const known = listed.filter(({ pricing: { request = '-1' } }) => !request.startsWith('-'));
  return new Map(known.map(({ id, pricing: { request = '0' } }) => [id, parseUsd(request)]));
}

type Models = ModelsBody['data'];

/** Writes a line for each twentieth of the calls. */
function progressOf(calls: readonly Call[], { outcomes }: State, { err }: EvalContext): (spent: NanoUsd) => void {
  const step = Math.ceil(calls.length / 20);
  return (spent) => {
    const done = calls.filter(({ key }) => outcomes.has(key)).length;
    if (done % step === 0 || done === calls.length) err(`${done} of ${calls.length} calls, $${formatUsd(spent)}\n`);
  };
}

/** @throws ConfigurationError if a file cannot be written. */
function writeReport(base: string, texts: Readonly<Record<string, string>>): void {
  for (const [ending, text] of Object.entries(texts)) {
    try {
      writeFileSync(`${base}.${ending}.draft`, text);
      renameSync(`${base}.${ending}.draft`, `${base}.${ending}`);
    } catch (error) {
      throw problem('--out', (error as Error).message, 'a file that this user may write');
    }
  }
}

function jsonFile(text: string): string {
  if (/[^/\\]\.json$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the name of a file that ends in .json.');
}

function whole(least: number, most: number) {
  return (text: string): number => {
    if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

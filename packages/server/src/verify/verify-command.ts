import { CATEGORIES, formatUsd, type NanoUsd, parseUsd } from '@searchgate/core';
import { InvalidArgumentError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { names } from '../admin/option-values.js';
import { exitCodeOf, interruptSignal, newProgram, processOutput } from '../admin/run-admin.js';
import type { AdminContext } from '../admin/runner.js';
import { isAgreed } from '../agreement.js';
import { readConfigFile, type ServerConfig } from '../config-file.js';
import { redactorOf } from '../redactor.js';
import {
  callsOf,
  chosenTargets,
  configuredProviders,
  type PlannedCall,
  targetsOf,
  WRONG_KEY,
} from './planned-calls.js';
import { createRecorder } from './recordings.js';
import { knownShapes } from './reply-shape.js';
import { costOf, type Row, reportJson, reportText, rowOf, verdictOf } from './report.js';
import { createVerifier, type Verifier } from './verifier.js';

/** The exit code, also for a wrong command line. */
const NOTHING_CHECKED = 2;
const INTERRUPTED = 'interrupted';

/** The process of the command. Its signal ends the run: what was checked is printed. */
export interface VerifyContext extends AdminContext {
  readonly signal: AbortSignal;
  /** Milliseconds, for durations. */
  elapsedMs(): number;
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** What to verify. */
interface VerifyOptions extends Readonly<Record<'stream' | 'options' | 'json' | 'yes', boolean>> {
  readonly only: readonly string[];
  readonly kinds: readonly string[];
  /** Nanodollars. */
  readonly budget?: NanoUsd;
  readonly record?: string;
  readonly config?: string;
}

/** `redact` hides keys. */
type Context = VerifyContext & { readonly redact: (text: string) => string };
/** A call with its price in nanodollars, and the gateway that makes it. */
type QuotedCall = { readonly call: PlannedCall; readonly quoted: NanoUsd; readonly verifier: Verifier };

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
    return exitCodeOf(error, { ...context, err }) && NOTHING_CHECKED;
  }
}

function parseVerifyOptions(argv: readonly string[], context: VerifyContext) {
  return (
    newProgram(context)
      .description('Calls every configured model once, for real and for money, and checks its reply.')
      .option('--config <file>', 'the JSON file, as for a start')
      .option('--only <names>', 'these providers and models: exa,cohere/rerank-v4.0-pro', names, [])
      .option('--kinds <kinds>', `these kinds of ${CATEGORIES.join(', ')}`, names, [])
      // Not as a default of commander, whose help cannot show a bigint.
      .option('--budget <usd>', 'the most to spend, in USD (default: 0.50)', usd)
      .option('--stream', 'streams too', false)
      .option('--options', 'each search option too', false)
      .option('--record <folder>', 'writes the replies, without keys, ids and accounts')
      .option('--json', 'prints JSON', false)
      .option('--yes', 'does not ask before it spends', false)
      .addHelpText('after', '\nExit codes: 0 nothing is wrong, 1 a fault, 2 nothing could be checked.')
      .parse([...argv], { from: 'user' })
      .opts<VerifyOptions>()
  );
}

function usd(text: string): NanoUsd {
  if (/^\d+(?:\.\d{1,9})?$/.test(text) && parseUsd(text) > 0n) return parseUsd(text);
  throw new InvalidArgumentError('It is a decimal of USD above 0, such as 0.50.');
}

/** Runs the command as a process. The first SIGINT ends the run in order, a second one at once. */
export function runVerifyProcess(
  argv: readonly string[],
  context: Pick<VerifyContext, 'command' | 'environment'>,
): Promise<number> {
  const [{ stdin }, signal] = [process, interruptSignal()];
  // Ends a question that is still open.
  signal.addEventListener('abort', () => stdin.destroy());
  const clocks = { now: Date.now, elapsedMs: () => performance.now() };
  return runVerify(argv, { ...context, ...processOutput(), ...clocks, stdin, signal });
}

/** Plans, asks for consent, calls, checks and prints. @returns the exit code. @throws ConfigurationError */
async function verifyModels(options: VerifyOptions, context: Context): Promise<number> {
  const { environment } = context;
  const file = environment['SEARCHGATE_CONFIG'];
  const config: Partial<ServerConfig> = file ? readConfigFile(file, environment) : {};
  const { providers, vendors, keyed } = configuredProviders(environment, config);
  const { models, aliases, groups } = config;
  const parts = { ...context, providers, models, aliases, groups };
  const verifier = createVerifier({ ...parts, isRefused: false });
  const refused = createVerifier({ ...parts, isRefused: true });
  try {
    const targets = chosenTargets(targetsOf(vendors, verifier.gateway), options);
    const calls = [];
    for (const call of callsOf(targets, keyed, { ...options, nowMs: context.now() })) {
      // A refused call costs nothing.
      if (call.variant === WRONG_KEY) calls.push({ call, verifier: refused, quoted: 0n });
      else calls.push({ call, verifier, quoted: await verifier.quote(call) });
    }
    return await verifyCalls(calls, options, context);
  } finally {
    await Promise.all([verifier.gateway.close(), refused.gateway.close()]);
  }
}

async function verifyCalls(calls: readonly QuotedCall[], options: VerifyOptions, context: Context): Promise<number> {
  const { signal, out, err } = context;
  const { budget = parseUsd('0.5'), record } = options;
  const estimated = calls.reduce((sum, { quoted }) => sum + quoted, 0n);
  const recorder = record === undefined ? null : createRecorder(record, context.redact);
  const sums = `estimated ${formatUsd(estimated)} USD, at most about ${formatUsd(budget)} USD`;
  err(`${calls.length} calls, ${sums}.\n`);
  if (!options.yes) {
    const agreed = await isAgreed('Call them?', context);
    if (agreed === undefined) err('Nothing was called. --yes calls without a question.\n');
    if (!agreed) return NOTHING_CHECKED;
  }
  const rows: Row[] = [];
  let ended: string | null = null;
  for (const { call, verifier, quoted } of calls) {
    if (costOf(rows) + quoted > budget) ended = `${call.row.slug} would cost more than is left of the budget`;
    if (signal.aborted) ended = INTERRUPTED;
    if (ended !== null) break;
    const seen = await verifier.observe(call);
    // A call that was cut off here tells nothing about its vendor.
    if (signal.aborted && seen.reason === 'client_closed_request') break;
    recorder?.record(call, seen.exchanges);
    const row = rowOf({ ...seen, quoted, shapes: knownShapes(call.provider) });
    rows.push(row);
    const done = `${rows.length}/${calls.length} ${row.model} (${row.call})`;
    err(`${done}: ${row.verdict}, ${formatUsd(row.cost)} USD, ${row.durationMs} ms\n`);
  }
  const about = { day: new Date(context.now()).toISOString().slice(0, 10), version: manifest.version };
  const verdicts = rows.map(({ model }) => {
    const verdict = verdictOf(rows.filter((row) => row.model === model));
    return [model, { ...about, verdict }] as const;
  });
  recorder?.finish(Object.fromEntries(verdicts));
  if (signal.aborted) ended = INTERRUPTED;
  const asked = new Set(calls.slice(0, rows.length).map(({ call }) => call.provider));
  const withoutFixtures = [...asked].filter((id) => knownShapes(id).length === 0);
  const made = { rows, ended, planned: calls.length, estimated, withoutFixtures };
  await out(`${options.json ? reportJson(made, about) : reportText(made)}\n`);
  return rows.length === 0 ? NOTHING_CHECKED : Number(verdictOf(rows) === 'fault');
}

import { formatUsd, type NanoUsd } from '@searchgate/core';
import manifest from '../../package.json' with { type: 'json' };
import { readConfigFile } from '../config-file.js';
import type { Environment } from '../environment.js';
import { chosenTargets, configuredProviders, withWrongKeys } from './chosen-providers.js';
import { callsOf, type PlannedCall, type Target, targetsOf, WRONG_KEY } from './planned-calls.js';
import { createRecorder, type Recorder } from './recordings.js';
import { fixtureShapes } from './reply-shape.js';
import { costOf, exitCodeOf, type Row, reportJson, reportText, rowOf, verdictsOf } from './report.js';
import { createVerifier, type Verifier } from './verifier.js';

/** The process of the command. */
export interface VerifyContext {
  /** As the operator types it, such as `searchgate verify`. */
  readonly command: string;
  readonly environment: Environment;
  /** The folder of the providers' code with their fixtures; `null` outside of a checkout. */
  readonly fixtures: string | null;
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean | undefined };
  readonly out: (text: string) => unknown;
  readonly err: (text: string) => unknown;
  /** Ends the run: what was checked is printed. */
  readonly signal: AbortSignal;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds, for durations. */
  elapsedMs(): number;
}

/** What to verify. */
export interface VerifyOptions {
  readonly only: readonly string[];
  readonly kinds: readonly string[];
  /** Nanodollars. */
  readonly budget: NanoUsd;
  readonly stream: boolean;
  readonly options: boolean;
  readonly record?: string | undefined;
  readonly json: boolean;
  readonly yes: boolean;
}

/** `redact` hides keys. */
type Context = VerifyContext & { readonly redact: (text: string) => string };

/** A call with its price in nanodollars, and the gateway that makes it. */
interface QuotedCall {
  readonly call: PlannedCall;
  readonly quoted: NanoUsd;
  readonly verifier: Verifier;
}

/** Plans, asks for consent, calls, checks and prints. @returns the exit code. @throws ConfigurationError */
export async function verifyModels(options: VerifyOptions, context: Context): Promise<number> {
  const { environment } = context;
  const file = environment['SEARCHGATE_CONFIG'];
  const { providers: configs = {}, models } = file ? readConfigFile(file, environment) : {};
  const { providers, keyed } = configuredProviders(environment, configs);
  const verifier = createVerifier({ ...context, providers, models });
  const wrong = withWrongKeys(environment, configs, keyed);
  const refused = createVerifier({ ...context, providers: wrong, models });
  try {
    const targets = chosenTargets(targetsOf(providers, verifier.gateway), options);
    const calls = await quotedCalls(targets, { verifier, refused, keyed, asked: { ...options, nowMs: context.now() } });
    const estimated = calls.reduce((sum, { quoted }) => sum + quoted, 0n);
    const recorder = options.record === undefined ? null : createRecorder(options.record, context.redact);
    const sums = `estimated ${formatUsd(estimated)} USD, at most about ${formatUsd(options.budget)} USD`;
    context.err(`${calls.length} calls, ${sums}.\n`);
    if (!options.yes && !(await isConfirmed(context))) return exitCodeOf([]);
    const { rows, ended } = await run(calls, { budget: options.budget, recorder, context });
    const about = { day: new Date(context.now()).toISOString().slice(0, 10), version: manifest.version };
    recorder?.finish(verdictsOf(rows, about));
    const made = { rows, ended, planned: calls.length, estimated, hasFixtures: context.fixtures !== null };
    context.out(`${options.json ? JSON.stringify(reportJson(made, about), null, 2) : reportText(made)}\n`);
    return exitCodeOf(rows);
  } finally {
    await Promise.all([verifier.gateway.close(), refused.gateway.close()]);
  }
}

interface Planning {
  readonly verifier: Verifier;
  /** With wrong keys. */
  readonly refused: Verifier;
  readonly keyed: ReadonlySet<string>;
  readonly asked: Parameters<typeof callsOf>[1];
}

/** The calls provider by provider; the one with a wrong key comes last, since it may lock the address out. */
async function quotedCalls(targets: readonly Target[], planning: Planning): Promise<QuotedCall[]> {
  const { verifier, refused, keyed, asked } = planning;
  const quoted: QuotedCall[] = [];
  for (const [at, target] of targets.entries()) {
    const { provider } = target;
    for (const call of callsOf(target, asked)) quoted.push({ call, quoted: await verifier.quote(call), verifier });
    // A refused call costs nothing.
    if (targets[at + 1]?.provider !== provider && keyed.has(provider))
      quoted.push({ call: { ...target, variant: WRONG_KEY }, quoted: 0n, verifier: refused });
  }
  return quoted;
}

async function isConfirmed({ stdin, err }: Context): Promise<boolean> {
  const { isTTY = false } = stdin;
  err(isTTY ? 'Call them? [y/N] ' : 'Nothing was called. --yes calls without a question.\n');
  try {
    if (isTTY) for await (const chunk of stdin) return /^y(?:es)?$/i.test(String(chunk).trim());
  } catch {
    // Interrupted before an answer.
  }
  return false;
}

interface Running {
  readonly budget: NanoUsd;
  readonly recorder: Recorder | null;
  readonly context: Context;
}

async function run(calls: readonly QuotedCall[], { budget, recorder, context }: Running) {
  const rows: Row[] = [];
  let ended: string | null = null;
  for (const { call, quoted, verifier } of calls) {
    if (costOf(rows) + quoted > budget) ended = `${call.row.slug} would cost more than is left of the budget`;
    if (context.signal.aborted) ended = 'interrupted';
    if (ended !== null) break;
    const seen = await verifier.observe(call, quoted);
    // A call that was cut off here tells nothing about its vendor.
    if (context.signal.aborted && seen.reason === 'client_closed_request') continue;
    recorder?.record(call, seen.exchanges);
    const row = rowOf({ ...seen, shapes: fixtureShapes(context.fixtures, call.provider) });
    rows.push(row);
    context.err(
      `${rows.length}/${calls.length} ${row.model} (${row.call}): ${row.verdict}, ${formatUsd(row.cost)} USD, ${row.durationMs} ms\n`,
    );
  }
  return { rows, ended: context.signal.aborted ? 'interrupted' : ended };
}

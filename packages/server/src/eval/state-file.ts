import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { formatUsd, type NanoUsd, parseUsd } from '@searchgate/core';
import { problem } from '../problems.js';
import { type ComparedCategory, type Question, suits } from './questions.js';
import type { Reply } from './score.js';

const PRIVATE_FILE = 0o600;

/** One question at one model in one run. */
export interface Call {
  readonly question: Question;
  readonly model: string;
  readonly category: ComparedCategory;
  /** From 1 on. */
  readonly run: number;
  /** The idempotency key. */
  readonly key: string;
}

/** How a call ended. */
export interface Outcome {
  /** What was charged, decimal US dollars. */
  readonly cost: string;
  /** The reason of the error; absent for a reply. */
  readonly reason?: string | undefined;
  readonly reply?: Reply | undefined;
  /** Of an answer whose sentences the gateway has checked: the supported ones, 0 to 1. */
  readonly supported?: number | undefined;
  /** Milliseconds to the end. Absent for a reply that was lost once: a replay says nothing about the model. */
  readonly ms?: number | undefined;
  /** The same to the first text of a stream. */
  readonly firstTextMs?: number | undefined;
}

type Line =
  | { readonly type: 'run'; readonly version: 1; readonly id: string; readonly gateway: string }
  | { readonly type: 'asked'; readonly key: string; readonly maxCost: string }
  | { readonly type: 'ended'; readonly key: string; readonly outcome: Outcome };

/** What a run has asked and got, in a file of JSON lines that survives the end of the process at any moment. By the keys of calls. */
export interface State {
  /** The id of the run: the same in every process that goes on with it. */
  readonly run: string;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The bounds with which calls were asked, also of those whose end is not known. */
  readonly bounds: ReadonlyMap<string, NanoUsd>;
  /** Has to be called before the call is sent. */
  ask(key: string, maxCost: NanoUsd): void;
  end(key: string, outcome: Outcome): void;
  close(): void;
}

/**
 * Opens or makes the file. A last line that was cut off is removed: what it told is asked again under the same key, which costs nothing.
 *
 * @param gateway the URL and the API key: a repeated call is free only there.
 * @throws ConfigurationError for a file that cannot be written, or that is of another gateway.
 */
export function openState(file: string, gateway: string): State {
  const descriptor = openPrivate(file);
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  truncateSync(file, Buffer.byteLength(whole));
  const bounds = new Map<string, NanoUsd>();
  const outcomes = new Map<string, Outcome>();
  const digest = digestOf(gateway);
  const write = (line: Line) => void writeSync(descriptor, `${JSON.stringify(line)}\n`);
  const [head, ...lines] = linesOf(file, whole);
  const run = head ?? { type: 'run', version: 1, id: randomUUID(), gateway: digest };
  if (run.type !== 'run' || run.version !== 1) throw unusable(file, 'which is no state of a run');
  if (run.gateway !== digest) throw unusable(file, 'which belongs to another --url or --key');
  if (head === undefined) write(run);
  for (const line of lines) {
    if (line.type === 'asked') bounds.set(line.key, parseUsd(line.maxCost));
    if (line.type === 'ended') outcomes.set(line.key, line.outcome);
  }
  return {
    run: run.id,
    outcomes,
    bounds,
    ask(key, maxCost) {
      write({ type: 'asked', key, maxCost: formatUsd(maxCost) });
      bounds.set(key, maxCost);
    },
    end(key, outcome) {
      write({ type: 'ended', key, outcome });
      outcomes.set(key, outcome);
    },
    close: () => closeSync(descriptor),
  };
}

/** The calls of a run, so ordered that each question is asked at all models before the next one. */
export function callsOf(
  { run: id }: Pick<State, 'run'>,
  questions: readonly Question[],
  { models, runs }: { readonly models: ReadonlyMap<string, ComparedCategory>; readonly runs: number },
): Call[] {
  const suitable = questions.flatMap((question) =>
    [...models].flatMap(([model, category]) => (suits(question, category) ? [{ question, model, category }] : [])),
  );
  return Array.from({ length: runs }, (_, at) => at + 1).flatMap((run) =>
    suitable.map((call) => {
      const { query, search, documents } = call.question;
      return { ...call, run, key: `eval-${digestOf(JSON.stringify([id, call.model, run, query, search, documents]))}` };
    }),
  );
}

function openPrivate(file: string): number {
  try {
    return openSync(file, 'a', PRIVATE_FILE);
  } catch (error) {
    throw problem('--out', (error as Error).message, 'a file in a folder that this user may write');
  }
}

function linesOf(file: string, text: string): Line[] {
  try {
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  } catch {
    throw unusable(file, 'which has a line that is no JSON');
  }
}

function unusable(file: string, found: string): Error {
  return problem('--out', `${file}, ${found}`, 'another --out, or none of that file: a new run then pays again');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

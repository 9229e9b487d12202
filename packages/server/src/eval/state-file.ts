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
  /** The idempotency key: the same in every process that goes on with the run. */
  readonly key: string;
}

/** How a call ended. */
export interface Outcome {
  /** What was charged, decimal US dollars. */
  readonly cost: string;
  /** The reason of the error; absent for a reply. */
  readonly reason?: string | undefined;
  readonly reply?: Reply | undefined;
  /** Milliseconds to the end. Absent for a reply that was lost once: a replay says nothing about the model. */
  readonly ms?: number | undefined;
  /** The same to the first text of a stream. */
  readonly firstTextMs?: number | undefined;
}

interface Line {
  readonly run?: string;
  readonly asked?: string;
  readonly maxCost?: string;
  readonly ended?: string;
  readonly outcome?: Outcome;
}

/** What a run has asked and got, by the keys of its calls. */
export type State = ReturnType<typeof openState>;

/**
 * Opens or makes a file of JSON lines that survives the end of the process at any moment. A last line that was cut off is removed: that call is repeated
 * under the same key, which costs nothing.
 *
 * @throws ConfigurationError for a file that cannot be written or read.
 */
export function openState(file: string) {
  const outcomes = new Map<string, Outcome>();
  /** The bounds with which calls were asked, also of those whose end is not known. */
  const bounds = new Map<string, NanoUsd>();
  try {
    const descriptor = openSync(file, 'a', PRIVATE_FILE);
    const text = readFileSync(file, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    truncateSync(file, Buffer.byteLength(whole));
    const write = (line: Line) => void writeSync(descriptor, `${JSON.stringify(line)}\n`);
    const lines = whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
    const run = lines[0]?.run ?? randomUUID();
    if (lines.length === 0) write({ run });
    for (const { asked, maxCost = '0', ended, outcome } of lines) {
      if (asked !== undefined) bounds.set(asked, parseUsd(maxCost));
      if (ended !== undefined && outcome !== undefined) outcomes.set(ended, outcome);
    }
    return {
      run,
      outcomes: outcomes as ReadonlyMap<string, Outcome>,
      bounds: bounds as ReadonlyMap<string, NanoUsd>,
      /** Has to be called before the call is sent. */
      ask(key: string, maxCost: NanoUsd): void {
        write({ asked: key, maxCost: formatUsd(maxCost) });
        bounds.set(key, maxCost);
      },
      end(key: string, outcome: Outcome): void {
        write({ ended: key, outcome });
        outcomes.set(key, outcome);
      },
      /** What all calls have cost, also those that the questions of today no longer have. */
      spent: () => [...outcomes.values()].reduce((sum, { cost }) => sum + parseUsd(cost), 0n),
      close: () => closeSync(descriptor),
    };
  } catch (error) {
    throw problem('--out', `${file} (${(error as Error).message})`, 'a file that this user may write, of this command');
  }
}

/** What calls are made of. */
interface CallPlan {
  readonly run: string;
  readonly url: string;
  readonly models: ReadonlyMap<string, ComparedCategory>;
  readonly runs: number;
}

/** The calls in their order: all models are asked a question before the next one, and all questions before the next run. */
export function callsOf(questions: readonly Question[], { run, url, models, runs }: CallPlan): Call[] {
  return Array.from({ length: runs }).flatMap((_, at) =>
    questions.flatMap((question) =>
      [...models].flatMap(([model, category]) => {
        if (!suits(question, category)) return [];
        const { query, search, documents } = question;
        const text = JSON.stringify([run, url, model, at, query, search, documents]);
        return [{ question, model, category, key: `eval-${createHash('sha256').update(text).digest('hex')}` }];
      }),
    ),
  );
}

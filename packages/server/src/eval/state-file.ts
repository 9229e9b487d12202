import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { formatUsd, type NanoUsd, parseUsd } from '@searchgate/core';
import { type ComparedCategory, type Question, suits } from './questions.js';
import type { Reply } from './score.js';

const PRIVATE_FILE = 0o600;

/** How a call ended. */
export interface Outcome extends Reply {
  /** What was charged, decimal US dollars. */
  readonly cost: string;
  /** The reason of the error; absent for a reply. */
  readonly reason?: string | undefined;
  /** Of an answer whose sentences the gateway has checked: the share of supported ones. */
  readonly supported?: number | undefined;
  /** Milliseconds to the end. Absent for a reply that was lost once: a replay says nothing about the model. */
  readonly ms?: number | undefined;
  /** The same to the first text of a stream. */
  readonly firstTextMs?: number | undefined;
}

type Line = { readonly [Name in 'run' | 'asked' | 'maxCost' | 'ended']?: string } & { readonly outcome?: Outcome };

/** What a run has asked and got, by the keys of its calls. */
export type State = ReturnType<typeof openState>;

/**
 * Opens or makes a file of JSON lines that survives the end of the process at any moment. A last line that was cut off is removed: that call is repeated
 * under the same key, which costs nothing.
 */
export function openState(file: string) {
  const outcomes = new Map<string, Outcome>();
  const bounds = new Map<string, NanoUsd>();
  let spent = 0n;
  const descriptor = openSync(file, 'a', PRIVATE_FILE);
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  truncateSync(file, Buffer.byteLength(whole));
  function keep({ asked, maxCost = '0', ended, outcome }: Line): void {
    if (asked !== undefined) bounds.set(asked, parseUsd(maxCost));
    if (ended === undefined || outcome === undefined) return;
    outcomes.set(ended, outcome);
    spent += parseUsd(outcome.cost);
  }
  const lines = whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  const { run = randomUUID() } = lines[0] ?? {};
  if (lines.length === 0) add({ run });
  for (const line of lines) keep(line);
  function add(line: Line): void {
    writeSync(descriptor, `${JSON.stringify(line)}\n`);
    keep(line);
  }
  return {
    run,
    outcomes: outcomes as ReadonlyMap<string, Outcome>,
    /** With which calls were asked, also those whose end is not known. */
    bounds: bounds as ReadonlyMap<string, NanoUsd>,
    /** What all calls have cost, also those that the questions of today no longer have. */
    spent: () => spent,
    /** Has to be called before the call is sent. */
    ask: (key: string, maxCost: NanoUsd) => add({ asked: key, maxCost: formatUsd(maxCost) }),
    end: (key: string, outcome: Outcome) => add({ ended: key, outcome }),
    close: () => closeSync(descriptor),
  };
}

/** One question at one model in one run. */
export type Call = ReturnType<typeof callsOf>[number];

/** The calls in their order: all models are asked a question before the next one, and all questions before the next run. */
export function callsOf(
  questions: readonly Question[],
  models: ReadonlyMap<string, ComparedCategory>,
  { run, url, runs }: { readonly run: string; readonly url: string; readonly runs: number },
) {
  const suitable = questions.flatMap((question) =>
    [...models].flatMap(([model, category]) => (suits(question, category) ? [{ question, model, category }] : [])),
  );
  return Array.from({ length: runs }).flatMap((_, at) =>
    suitable.map((call) => {
      const { id, query, search, documents } = call.question;
      const text = JSON.stringify([run, url, call.model, at, id, query, search, documents]);
      // The idempotency key: the same in every process that goes on with the run.
      return { ...call, key: `eval-${createHash('sha256').update(text).digest('hex')}` };
    }),
  );
}

import { formatUsd, parseUsd } from '@searchgate/core';
import { hostOf, isRight, jaccard, rankOf } from './score.js';
import type { Call, Outcome } from './state-file.js';
import { type Difference, type Interval, mean, pairedDifference, percentiles, shareInterval } from './statistics.js';

/** A call with its outcome. */
export interface Result extends Call {
  readonly outcome: Outcome;
  /** 1 if every check held, else 0, also without a reply; `undefined` without a check. */
  readonly right: number | undefined;
}

export type Results = readonly Result[];

/** The results of two models, and the seed of the bootstrap. */
export interface Both {
  readonly one: Results;
  readonly other: Results;
  readonly seed: number;
}

/** A figure of a report: a value for scripts, and a text for people; `undefined` where it does not apply. */
export interface Figure<Given> {
  readonly title: string;
  of(given: Given): { readonly value: unknown; readonly text: string } | undefined;
}

type ValueOf<Value> = (result: Result) => Value | undefined;

export function resultsOf(calls: readonly Call[], outcomes: ReadonlyMap<string, Outcome>): Result[] {
  return calls.flatMap((call) => {
    const outcome = outcomes.get(call.key);
    if (outcome === undefined) return [];
    const { expect } = call.question;
    const isGood = expect !== undefined && outcome.reply !== undefined && isRight(expect, outcome.reply);
    return [{ ...call, outcome, right: expect && Number(isGood) }];
  });
}

const rightOf: ValueOf<number> = ({ right }) => right;
export const answeredOf = ({ outcome }: Result) => Number(outcome.reply !== undefined);
const urlsOf = ({ outcome }: Result) => outcome.reply?.urls ?? [];
/** The places of the expected hosts. */
const ranksOf: ValueOf<number[]> = (result) =>
  result.question.expect?.url_host?.map((host) => rankOf(host, urlsOf(result)));

/** @returns nothing for values that are not known. */
function valuesOf<Value>(results: Results, of: ValueOf<Value>): Value[] {
  return results.map(of).filter((value) => value !== undefined);
}

/** In the order of their first members. */
export function grouped<Name>(results: Results, nameOf: (result: Result) => Name): Map<Name, Result[]> {
  const groups = new Map<Name, Result[]>();
  for (const result of results) groups.set(nameOf(result), [...(groups.get(nameOf(result)) ?? []), result]);
  return groups;
}

/** The values of the runs of each question that has any. */
function byQuestion<Value>(results: Results, of: ValueOf<Value>): Map<string, Value[]> {
  const known = results.filter((result) => of(result) !== undefined);
  return new Map([...grouped(known, ({ question }) => question.id)].map(([id, runs]) => [id, valuesOf(runs, of)]));
}

/** Pairs of what both models gave for a question. */
function pairsOf<Value>({ one, other }: Both, of: ValueOf<Value>): [Value[], Value[]][] {
  const others = byQuestion(other, of);
  return [...byQuestion(one, of)].flatMap(([id, runs]) => (others.has(id) ? [[runs, others.get(id) ?? []]] : []));
}

export const shareOf = (results: Results, of: ValueOf<number>) => shareInterval([...byQuestion(results, of).values()]);
function errorsOf(results: Results): Record<string, number> | undefined {
  const failed = [...grouped(results, ({ outcome }) => outcome.reason ?? '')].filter(([reason]) => reason !== '');
  return failed.length === 0 ? undefined : Object.fromEntries(failed.map(([reason, { length }]) => [reason, length]));
}

export const costPerCall = (results: Results) => mean(results.map(({ outcome }) => Number(outcome.cost))) ?? 0;

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
const decimals = (places: number) => (value: number) => value.toFixed(places);
const range = ({ value, low, high }: Interval) => `${percent(value)} (${percent(low)} to ${percent(high)})`;
const seconds = (values: readonly number[]) => values.map((ms) => `${(ms / 1_000).toFixed(2)} s`).join(' / ');

function figure<Given, Value>(
  title: string,
  of: (given: Given) => Value | undefined,
  show: (value: Value) => string,
): Figure<Given> {
  const shown = (value: Value | undefined) => (value === undefined ? undefined : { value, text: show(value) });
  return { title, of: (given) => shown(of(given)) };
}

function times(title: string, of: ValueOf<number>): Figure<Results> {
  return figure(title, (own) => percentiles(valuesOf(own, of)), seconds);
}

function difference(title: string, of: ValueOf<number>, show: (value: number) => string): Figure<Both> {
  const signed = (value: number) => (value > 0 ? '+' : '') + show(value);
  return figure(
    title,
    (both) =>
      pairedDifference(
        pairsOf(both, of).map(([a, b]) => (mean(a) ?? 0) - (mean(b) ?? 0)),
        both.seed,
      ),
    ({ value, low, high, distinguishable }: Difference) =>
      `${signed(value)} (${signed(low)} to ${signed(high)})${distinguishable ? ', distinguishable' : ''}`,
  );
}

function overlap(title: string, nameOf: (url: string) => string): Figure<Both> {
  const namesOf: ValueOf<string[]> = (result) => urlsOf(result).map(nameOf);
  const shares = (both: Both) => pairsOf(both, namesOf).flatMap(([a, b]) => jaccard(a.flat(), b.flat()) ?? []);
  return figure(title, (both) => mean(shares(both)), percent);
}

/** The figures of one model, by their names in JSON. */
export const MODEL_FIGURES: Readonly<Record<string, Figure<Results>>> = {
  questions: figure('Questions', (own) => grouped(own, ({ question }) => question.id).size, String),
  calls: figure('Calls', (own) => own.length, String),
  right: figure('Right', (own) => shareOf(own, rightOf), range),
  answered: figure('Answered', (own) => shareOf(own, answeredOf), range),
  cost: figure('Cost', (own) => formatUsd(own.reduce((sum, { outcome }) => sum + parseUsd(outcome.cost), 0n)), String),
  costPerCall: figure('Per call', costPerCall, decimals(5)),
  p50AndP95Ms: times('p50 / p95', ({ outcome }) => outcome.ms),
  firstTextMs: times('First text', ({ outcome }) => outcome.firstTextMs),
  citations: figure(
    'Citations',
    (own) => mean(valuesOf(own, ({ outcome }) => outcome.reply?.urls.length)),
    decimals(1),
  ),
  hosts: figure('Hosts', (own) => new Set(own.flatMap(urlsOf).map(hostOf)).size || undefined, String),
  supported: figure('Supported', (own) => mean(valuesOf(own, ({ outcome }) => outcome.reply?.supported)), percent),
  recall: figure(
    'Recall',
    (own) => mean(valuesOf(own, (each) => mean(ranksOf(each)?.map((rank) => Math.min(1, rank)) ?? []))),
    percent,
  ),
  reciprocalRank: figure(
    'Mean 1/rank',
    (own) => mean(valuesOf(own, ranksOf).map((ranks) => Math.max(...ranks.map((rank) => rank && 1 / rank)))),
    decimals(2),
  ),
  errors: figure('Errors', errorsOf, (errors) =>
    Object.entries(errors)
      .map(([reason, count]) => `${reason} ×${count}`)
      .join(', '),
  ),
};

/** The figures of two models: the first less the second. */
export const PAIR_FIGURES: Readonly<Record<string, Figure<Both>>> = {
  questions: figure('Questions', (both) => pairsOf(both, answeredOf).length, String),
  right: difference('Right', rightOf, percent),
  answered: difference('Answered', answeredOf, percent),
  cost: difference('Cost per call', ({ outcome }) => Number(outcome.cost), decimals(5)),
  sameUrls: overlap('Same addresses', String),
  sameHosts: overlap('Same hosts', hostOf),
};

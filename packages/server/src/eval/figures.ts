import { formatUsd, parseUsd } from '@searchgate/core';
import { hostOf, isRight, jaccard, rankOf } from './score.js';
import type { Call, Outcome } from './state-file.js';
import { type Interval, mean, pairedDifference, percentiles, shareInterval } from './statistics.js';

/** A call with its outcome. */
export type Result = ReturnType<typeof resultsOf>[number];
export type Results = readonly Result[];

/** The results of two models, and the seed of the bootstrap. */
type Both = Readonly<Record<'one' | 'other', Results>> & { readonly seed: number };

/** A figure of a report: a value for scripts, and a text for people; `undefined` where it does not apply. */
export type Figure<Given> = ReturnType<typeof figure<Given, unknown>>;

type ValueOf<Value> = (result: Result) => Value | undefined;

/** The calls that are done. */
export function resultsOf(calls: readonly Call[], outcomes: ReadonlyMap<string, Outcome>) {
  return calls.flatMap(({ key, ...call }) => {
    const outcome = outcomes.get(key);
    const { expect } = call.question;
    if (outcome === undefined) return [];
    const answered = Number(outcome.reason === undefined);
    // Not known without a check. No reply is not right.
    const right = expect && answered && Number(isRight(expect, outcome));
    return [{ ...call, ...outcome, answered, right }];
  });
}

/** The places of the expected hosts; 0 for those that were not found. */
const ranksOf: ValueOf<number[]> = ({ question: { expect }, urls = [] }) =>
  expect?.url_host?.map((host) => rankOf(host, urls));
const bestOf = (ranks?: readonly number[]) => ranks && Math.max(...ranks.map((rank) => rank && 1 / rank));

/** @returns nothing for values that are not known. */
function valuesOf<Value>(results: Results, of: ValueOf<Value>): Value[] {
  return results.map(of).filter((value) => value !== undefined);
}

/** In the order of their first members. */
export function grouped<Name>(results: Results, nameOf: (result: Result) => Name): [Name, Result[]][] {
  const groups = new Map<Name, Result[]>();
  for (const result of results) {
    const group = groups.get(nameOf(result)) ?? [];
    group.push(result);
    groups.set(nameOf(result), group);
  }
  return [...groups];
}

/** The known values of the runs of each question that has any. */
function byQuestion<Value>(results: Results, of: ValueOf<Value>): Map<string, Value[]> {
  const known = results.filter((result) => of(result) !== undefined);
  return new Map(grouped(known, ({ question }) => question.id).map(([id, runs]) => [id, valuesOf(runs, of)]));
}

/** Pairs of what both models gave for a question. */
function pairsOf<Value>({ one, other }: Both, of: ValueOf<Value>): [Value[], Value[]][] {
  const others = byQuestion(other, of);
  return [...byQuestion(one, of)].flatMap(([id, runs]) => (others.has(id) ? [[runs, others.get(id) ?? []]] : []));
}

function errorsOf(results: Results): Record<string, number> | undefined {
  const failed = grouped(results, ({ reason }) => reason).flatMap(([reason, { length }]) =>
    reason === undefined ? [] : [[reason, length] as const],
  );
  return failed.length === 0 ? undefined : Object.fromEntries(failed);
}

const whole = (share: number) => (share * 100).toFixed(0);
const percent = (share: number) => `${whole(share)} %`;
const decimals = (places: number) => (value: number) => value.toFixed(places);
const range = ({ value, low, high }: Interval) => `${percent(value)} (${whole(low)}–${whole(high)})`;
const seconds = (values: readonly number[]) => values.map((ms) => `${(ms / 1_000).toFixed(2)} s`).join(' / ');

function figure<Given, Value>(title: string, of: (given: Given) => Value | undefined, show: (value: Value) => string) {
  const shown = (value: Value | undefined) => (value === undefined ? undefined : { value, text: show(value) });
  return { title, of: (given: Given) => shown(of(given)) };
}

const share = (title: string, of: ValueOf<number>) =>
  figure(title, (own: Results) => shareInterval([...byQuestion(own, of).values()]), range);
const times = (title: string, of: ValueOf<number>) =>
  figure(title, (own: Results) => percentiles(valuesOf(own, of)), seconds);
const average = (title: string, of: ValueOf<number>, show: (value: number) => string) =>
  figure(title, (own: Results) => mean(valuesOf(own, of)), show);

function difference(title: string, of: ValueOf<number>, show: (value: number) => string) {
  const signed = (value: number) => (value > 0 ? '+' : '') + show(value);
  const differences = (both: Both) => pairsOf(both, of).map(([a, b]) => (mean(a) ?? 0) - (mean(b) ?? 0));
  return figure(
    title,
    (both: Both) => pairedDifference(differences(both), both.seed, show === percent ? 1 : undefined),
    ({ value, low, high, distinguishable }) =>
      `${signed(value)} (${signed(low)} to ${signed(high)})${distinguishable ? ', distinguishable' : ''}`,
  );
}

function overlap(title: string, nameOf: (url: string) => string) {
  const namesOf: ValueOf<string[]> = ({ urls = [] }) => urls.map(nameOf);
  const shares = (both: Both) => pairsOf(both, namesOf).flatMap(([a, b]) => jaccard(a.flat(), b.flat()) ?? []);
  return figure(title, (both: Both) => mean(shares(both)), percent);
}

/** The figures of one model, by their names in JSON. */
export const MODEL_FIGURES: Readonly<Record<string, Figure<Results>>> = {
  right: share('right', ({ right }) => right),
  answered: share('answered', ({ answered }) => answered),
  cost: figure('cost $', (own) => formatUsd(own.reduce((sum, { cost }) => sum + parseUsd(cost), 0n)), String),
  costPerCall: average('per call $', ({ cost }) => Number(cost), decimals(5)),
  p50AndP95Ms: times('p50 / p95', ({ answered, ms }) => (answered ? ms : undefined)),
  firstTextMs: times('first text', ({ firstTextMs }) => firstTextMs),
  citations: average('citations', ({ urls }) => urls?.length, decimals(1)),
  hosts: figure('hosts', (own) => new Set(own.flatMap(({ urls = [] }) => urls).map(hostOf)).size || undefined, String),
  supported: average('supported', ({ supported }) => supported, percent),
  recall: average('recall', (result) => mean(ranksOf(result)?.map((rank) => Math.min(1, rank)) ?? []), percent),
  reciprocalRank: average('mean 1/rank', (result) => bestOf(ranksOf(result)), decimals(2)),
  questions: figure('questions', (own) => grouped(own, ({ question }) => question.id).length, String),
  calls: figure('calls', (own) => own.length, String),
  errors: figure('errors', errorsOf, (errors) => JSON.stringify(errors).replace(/[{}"]/g, '')),
};

/** The figures of two models: the first less the second. */
export const PAIR_FIGURES: Readonly<Record<string, Figure<Both>>> = {
  right: difference('right', ({ right }) => right, percent),
  answered: difference('answered', ({ answered }) => answered, percent),
  cost: difference('per call $', ({ cost }) => Number(cost), decimals(5)),
  sameUrls: overlap('same addresses', String),
  sameHosts: overlap('same hosts', hostOf),
  questions: figure('questions', (both) => pairsOf(both, ({ answered }) => answered).length, String),
};

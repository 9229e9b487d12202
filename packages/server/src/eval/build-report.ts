import { formatUsd, parseUsd } from '@searchgate/core';
import { COMPARED, type ComparedCategory } from './questions.js';
import { hostOf, isRight, jaccard, rankOf } from './score.js';
import type { Call, Outcome } from './state-file.js';
import { type Difference, type Interval, mean, pairedDifference, quantile, shareInterval } from './statistics.js';

/** A call with its outcome. */
export interface Result extends Call {
  readonly outcome: Outcome;
  /** Whether every check held; `null` without a check. No reply is not right. */
  readonly right: boolean | null;
}

/** The figures of one model. Amounts are decimal US dollars. `null`: does not apply. */
export interface Row {
  readonly model: string;
  readonly kind: ComparedCategory;
  /** Of the lines; `null` for all. */
  readonly category: string | null;
  readonly questions: number;
  readonly calls: number;
  readonly answered: Interval | null;
  readonly right: Interval | null;
  readonly cost: string;
  /** For one call, a mean. */
  readonly costPerCall: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly firstTextP50Ms: number | null;
  readonly firstTextP95Ms: number | null;
  /** Cited or found addresses of a reply, a mean. */
  readonly citations: number | null;
  /** Different hosts of all replies. */
  readonly hosts: number;
  /** The share of supported sentences, where the gateway checks them. */
  readonly supported: number | null;
  /** The share of expected hosts that were found. */
  readonly recall: number | null;
  /** The mean of 1 / place of an expected host, 0 where it was not found. */
  readonly reciprocalRank: number | null;
  /** How many calls ended with each error. */
  readonly errors: Readonly<Record<string, number>>;
}

/** The first model less the second one, over the questions that both were asked. */
export interface Pair {
  readonly kind: ComparedCategory;
  readonly models: readonly [string, string];
  readonly questions: number;
  readonly answered: Difference | null;
  readonly right: Difference | null;
  /** US dollars of one call. */
  readonly cost: Difference | null;
  /** How much of the addresses is the same: 0 to 1, a mean over questions. */
  readonly sameUrls: number | null;
  readonly sameHosts: number | null;
}

/** Everything that is compared. */
export interface Comparison {
  readonly rows: readonly Row[];
  readonly pairs: readonly Pair[];
}

export function resultsOf(calls: readonly Call[], outcomes: ReadonlyMap<string, Outcome>): Result[] {
  return calls.flatMap((call) => {
    const outcome = outcomes.get(call.key);
    const { expect } = call.question;
    if (outcome === undefined) return [];
    const right = expect === undefined ? null : outcome.reply !== undefined && isRight(expect, outcome.reply);
    return [{ ...call, outcome, right }];
  });
}

/** @param seed of the bootstrap. */
export function compare(results: readonly Result[], seed: number): Comparison {
  const byModel = [...grouped(results, ({ model }) => model).values()];
  const ordered = byModel.toSorted((a, b) => kindAt(a) - kindAt(b));
  const rows = ordered.flatMap((own) => {
    const categories = grouped(own, ({ question }) => question.category);
    const named = [...categories].flatMap(([name, part]) => (name === undefined ? [] : [rowOf(part, name)]));
    return [rowOf(own, null), ...named];
  });
  const pairs = ordered.flatMap((one, at) =>
    ordered.slice(at + 1).flatMap((other) => (kindAt(one) === kindAt(other) ? [pairOf(one, other, seed)] : [])),
  );
  return { rows, pairs };
}

const kindAt = ([first]: readonly Result[]) => COMPARED.indexOf(first?.category ?? 'answer');
const isAnswered = ({ outcome }: Result) => outcome.reply !== undefined;
const urlsOf = ({ outcome }: Result) => outcome.reply?.urls ?? [];
const isNumber = (value: number | null | undefined): value is number => value != null;

function rowOf(results: readonly Result[], category: string | null): Row {
  const { model = '', category: kind = 'answer' } = results[0] ?? {};
  const questions = [...grouped(results, ({ question }) => question.id).values()];
  const checked = questions.filter(([first]) => first?.right != null);
  const answers = results.filter(isAnswered);
  const sum = results.reduce((total, { outcome }) => total + parseUsd(outcome.cost), 0n);
  const times = answers.map(({ outcome }) => outcome.ms).filter(isNumber);
  const firstTimes = answers.map(({ outcome }) => outcome.firstTextMs).filter(isNumber);
  const ranks = results.flatMap((result) => {
    const hosts = result.question.expect?.url_host;
    return hosts === undefined ? [] : [hosts.map((host) => rankOf(host, urlsOf(result)))];
  });
  const failed = grouped(results, ({ outcome }) => outcome.reason);
  return {
    model,
    kind,
    category,
    questions: questions.length,
    calls: results.length,
    answered: shareInterval(questions.map((runs) => runs.map((run) => Number(isAnswered(run))))),
    right: shareInterval(checked.map((runs) => runs.map(({ right }) => Number(right)))),
    cost: formatUsd(sum),
    costPerCall: Number(formatUsd(sum)) / results.length,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    firstTextP50Ms: quantile(firstTimes, 0.5),
    firstTextP95Ms: quantile(firstTimes, 0.95),
    citations: kind === 'rerank' ? null : mean(answers.map((result) => urlsOf(result).length)),
    hosts: new Set(answers.flatMap(urlsOf).map(hostOf)).size,
    supported: mean(answers.map(({ outcome }) => outcome.supported).filter(isNumber)),
    recall: mean(ranks.map((each) => each.filter((rank) => rank > 0).length / each.length)),
    reciprocalRank: mean(ranks.map((each) => Math.max(...each.map((rank) => (rank > 0 ? 1 / rank : 0))))),
    errors: Object.fromEntries(
      [...failed].flatMap(([name, { length }]) => (name === undefined ? [] : [[name, length]])),
    ),
  };
}

function pairOf(one: readonly Result[], other: readonly Result[], seed: number): Pair {
  const others = grouped(other, ({ question }) => question.id);
  const both = [...grouped(one, ({ question }) => question.id)].flatMap(([id, runs]) => {
    const those = others.get(id);
    return those === undefined ? [] : [[runs, those] as const];
  });
  const difference = (valueOf: (result: Result) => number | null) => {
    const means = both.map((pair) => pair.map((runs) => mean(runs.map(valueOf).filter(isNumber))));
    const pairs = means.flatMap(([a, b]) => (isNumber(a) && isNumber(b) ? [a - b] : []));
    return pairedDifference(pairs, seed);
  };
  const same = (nameOf: (url: string) => string) => {
    const sets = both.map((pair) => pair.map((runs) => new Set(runs.flatMap(urlsOf).map(nameOf))));
    return mean(sets.map(([a = new Set(), b = new Set()]) => jaccard(a, b)).filter(isNumber));
  };
  return {
    kind: one[0]?.category ?? 'answer',
    models: [one[0]?.model ?? '', other[0]?.model ?? ''],
    questions: both.length,
    answered: difference((result) => Number(isAnswered(result))),
    right: difference(({ right }) => (right === null ? null : Number(right))),
    cost: difference(({ outcome }) => Number(outcome.cost)),
    sameUrls: same((url) => url),
    sameHosts: same(hostOf),
  };
}

/** In the order of their first members. */
export function grouped<T, Name>(values: readonly T[], nameOf: (value: T) => Name): Map<Name, T[]> {
  const groups = new Map<Name, T[]>();
  for (const value of values) {
    const group = groups.get(nameOf(value));
    if (group === undefined) groups.set(nameOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

import { count, milliseconds, short, table, withSpread } from '../../report/format.js';
import { boundText, verdict } from '../../report/goals.js';
import { section } from '../../report/sections.js';
import { figure, figureOf, ratioOf } from '../../statistics.js';
import { LEDGER } from '../engines/engine.js';
import type { LedgerResults } from '../ledger-results.js';
import type { EngineResult, Series } from '../measure-engine.js';
import { growthSection } from './growth-report.js';
import { ledgerGoalsOf, samplesOf } from './ledger-goals.js';

/** The whole run as Markdown. */
export function ledgerReport(results: LedgerResults): string {
  const { engines, growth } = results;
  const sections = [goalsSection(results), growthSection(growth), ...engines.map(engineSection)];
  return `${[environmentText(results), ...sections.filter((text) => text !== '')].join('\n\n')}\n`;
}

function environmentText({ environment, loadAverageAtEnd, drive, flush, skipped }: LedgerResults): string {
  const { date, commit, node, system, cores, processor, memoryGb, loadAverage, versions } = environment;
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const lines = [
    `${date.slice(0, 16).replace('T', ' ')} UTC, ${drive.rounds} rounds of ${short(drive.durationMs / 1_000)} s samples, commit ${commit}.`,
    `Node ${node} on ${system}, ${cores} × ${processor}, ${memoryGb} GB; load average ${short(loadAverage)} before the run, ${short(loadAverageAtEnd)} at its end.`,
    `${packages.join(', ')}.`,
    `Writing and flushing 8 kB takes ${short(flush.p50Micros)} µs on the disk that all files were on. The slower a flush, the more a commit shared by many calls is worth.`,
    ...(flush.inMemory
      ? ['**The files were in memory: nothing was flushed, and no figure of a durable ledger holds.**']
      : []),
    'Medians over the rounds, in brackets the quarter marks. Ratios are taken within a round.',
    ...skipped.map(({ name, reason }) => `**${name} took no part:** ${reason.split('\n')[0] ?? ''}`),
  ];
  return lines.join('\n\n');
}

function goalsSection(results: LedgerResults): string {
  const rows = ledgerGoalsOf(results).flatMap(({ measured, ...goal }) =>
    measured === null || measured.rounds === 0
      ? []
      : [[String(goal.number), goal.text, boundText(goal), withSpread(measured), verdict(goal, measured)]],
  );
  if (rows.length === 0) return '';
  return section(
    'Where we stand',
    'The goals are those the project has set itself. "Close" means that the quarter marks lie on both sides of the bound, "one round" that nothing is known of the spread: run it again, longer.',
    table(['goal', 'what', 'bound', 'measured', 'verdict'], rows),
  );
}

function engineSection(engine: EngineResult): string {
  const { name, version, settings, notes, series } = engine;
  const rows = series.map((each) => [
    count(each.organizations),
    count(each.callers),
    each.contender === LEDGER ? `**${LEDGER}**` : each.contender,
    withSpread(figureOf(each.samples, ({ pairsPerSecond }) => pairsPerSecond)),
    milliseconds(figureOf(each.samples, ({ p50Ms }) => p50Ms).median),
    milliseconds(figureOf(each.samples, ({ p99Ms }) => p99Ms ?? Number.NaN).median),
    ledgerAgainst(engine, each),
  ]);
  const text = [`${version === '' ? '' : `Version ${version}; `}${settings}.`, ...notes, roundTripsText(engine)];
  return section(
    name,
    text.filter((line) => line !== '').join(' '),
    table(['organizations', 'callers', 'who', 'pairs/s', 'p50 ms', 'p99 ms', 'ledger ÷ it'], rows),
  );
}

function ledgerAgainst(engine: EngineResult, { contender, samples, ...of }: Series): string {
  if (contender === LEDGER) return '–';
  return withSpread(ratioOf(samplesOf(engine, LEDGER, of), samples, ({ pairsPerSecond }) => pairsPerSecond));
}

function roundTripsText({ roundTrips }: EngineResult): string {
  const trips = [
    { p50sMs: roundTrips.flatMap(({ askP50Ms }) => askP50Ms ?? []), what: 'that does nothing' },
    { p50sMs: roundTrips.flatMap(({ keepP50Ms }) => keepP50Ms ?? []), what: 'that keeps one row' },
  ].filter(({ p50sMs }) => p50sMs.length > 0);
  if (trips.length === 0) return '';
  const texts = trips.map(({ p50sMs, what }) => `${milliseconds(figure(p50sMs).median)} ms for one ${what}`);
  return `Round trips of the engine, one caller: ${texts.join(', ')}.`;
}

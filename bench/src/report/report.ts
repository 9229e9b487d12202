import type { Results } from '../results.js';
import { percent, short, table, withSpread } from './format.js';
import { boundText, goalsOf, verdict } from './goals.js';
import {
  answersSection,
  eventLoopSection,
  keysSection,
  latencySection,
  ledgerSection,
  modelsSection,
  section,
  soakSection,
  startUpSection,
} from './sections.js';

/** Above this share of the cores, others disturb the run. */
const BUSY = 0.15;

/** The whole run as Markdown. Sections of what was not measured are left out. */
export function report(results: Results): string {
  const sections = [
    environmentText(results),
    goalsSection(results),
    answersSection(results),
    latencySection(results),
    eventLoopSection(results),
    modelsSection(results),
    ledgerSection(results),
    startUpSection(results),
    keysSection(results),
    soakSection(results),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function environmentText({ environment, otherWork, mode, skipped }: Results): string {
  const { date, commit, node, system, cores, processor, memoryGb, loadAverage, versions } = environment;
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const lines = [
    `${date.slice(0, 16).replace('T', ' ')} UTC, ${mode.name} run of commit ${commit}.`,
    `Node ${node} on ${system}, ${cores} × ${processor}, ${memoryGb} GB; load average ${short(loadAverage)} before the run.`,
    `${packages.join(', ')}.`,
    'Medians over the rounds, in brackets the quarter marks. Ratios hold on other machines, absolute figures do not.',
    ...(otherWork !== null && otherWork > BUSY ? [disturbed(otherWork)] : []),
    ...skipped.map(({ name, reason }) => `**${name} took no part:** ${reason.split('\n')[0] ?? ''}`),
  ];
  return lines.join('\n\n');
}

function notMeasured(texts: readonly string[]): string {
  if (texts.length === 0) return '';
  const shown = texts.length > 5 ? `${texts.length} of the lines` : texts.join('; ');
  return `\n\nNot measured in this run: ${shown}.`;
}

function disturbed(otherWork: number): string {
  return `**Others took ${percent(otherWork)} of the cores during the run: absolute figures and tails are too high.**`;
}

function goalsSection(results: Results): string {
  const goals = goalsOf(results);
  const rows = goals.flatMap(({ measured, ...goal }) =>
    measured === null
      ? []
      : [[String(goal.number), goal.text, boundText(goal), withSpread(measured), verdict(goal, measured)]],
  );
  const left = goals.filter(({ measured }) => measured === null).map(({ text }) => text);
  return section(
    'Where we stand',
    'The goals are those the project has set itself. "Close" means that the quarter marks lie on both sides of the bound, "one round" that nothing is known of the spread: run it again, longer.',
    `${table(['goal', 'what', 'bound', 'measured', 'verdict'], rows)}${notMeasured(left)}`,
  );
}

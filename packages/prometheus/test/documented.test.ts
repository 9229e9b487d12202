import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { METRICS, type MetricDefinition, type MetricName } from '@searchgate/core/metrics';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { prometheusName } from '../src/index.js';

const DOCS = join(import.meta.dirname, '../../../docs');
const read = (path: string) => readFileSync(join(DOCS, path), 'utf8');
const RECORDED = join(DOCS, 'grafana/outages');
const recordings = readdirSync(RECORDED);
const promtool = spawnSync('promtool', ['--version']);
const note = promtool.error ? ' (skipped: promtool is not installed)' : '';

interface Dashboard {
  readonly panels: readonly { readonly id: number; readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

interface AlertRules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const dashboard = JSON.parse(read('grafana/searchgate.json')) as Dashboard;
const rules = (parse(read('grafana/alerts.yaml')) as AlertRules).groups.flatMap((group) => group.rules);
const names = Object.keys(METRICS) as MetricName[];

/** The labels of every name in expressions: of each metric, and of each series of a histogram. */
const labelsBySeries = new Map<string, readonly string[]>([
  ...names.flatMap(seriesOf),
  // Of Prometheus itself.
  ['up', ['instance']],
]);

function seriesOf(name: MetricName): [string, readonly string[]][] {
  const { kind, labels }: MetricDefinition = METRICS[name];
  const series = prometheusName(name);
  if (kind !== 'histogram') return [[series, labels]];
  return [
    [`${series}_bucket`, [...labels, 'le']],
    [`${series}_sum`, labels],
    [`${series}_count`, labels],
  ];
}

interface Parsed {
  readonly errors: string[];
  readonly series: string[];
  readonly labels: string[];
}

/** The names in an expression. Any duration may stand for Grafana's variable. */
function namesIn(expr: string): Parsed {
  const text = expr.replaceAll('$__rate_interval', '5m');
  const parsed: Parsed = { errors: [], series: [], labels: [] };
  parser.parse(text).iterate({
    enter({ name, type, from, to }) {
      if (type.isError) parsed.errors.push(text.slice(from));
      if (name === 'Identifier') parsed.series.push(text.slice(from, to));
      if (name === 'LabelName') parsed.labels.push(text.slice(from, to));
    },
  });
  return parsed;
}

const expressions = [
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...rules.map(({ expr }) => expr),
];

describe('the dashboard and the alerts', () => {
  it('have expressions of valid syntax', () => {
    expect(expressions.length).toBeGreaterThan(30);
    expect(expressions.filter((expr) => namesIn(expr).errors.length > 0)).toEqual([]);
  });

  it('name only metrics that exist, with labels that they have', () => {
    const wrong = expressions.filter((expr) => {
      const { series, labels } = namesIn(expr);
      // The labels that Prometheus adds itself.
      const known = new Set(['job', ...series.flatMap((each) => labelsBySeries.get(each) ?? [])]);
      return (
        series.length === 0 || !series.every((each) => labelsBySeries.has(each)) || !labels.every((l) => known.has(l))
      );
    });
    expect(wrong).toEqual([]);
  });

  it('show every metric', () => {
    const shown = new Set(expressions.flatMap((expr) => namesIn(expr).series));
    const hidden = names.filter((name) => !seriesOf(name).some(([series]) => shown.has(series)));
    expect(hidden).toEqual([]);
  });

  it('offer existing labels as variables, and use only declared variables', () => {
    const { list } = dashboard.templating;
    const queries = list.flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
    expect(queries).toHaveLength(3);
    for (const query of queries) {
      const [, series = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
      expect(['job', ...(labelsBySeries.get(series) ?? [])]).toContain(label);
    }
    const used = JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g);
    const chosen = new Set([...used].map(([, name]) => name).filter((name) => name !== '__rate_interval'));
    expect(chosen).toEqual(new Set(list.map(({ name }) => name)));
  });

  it('have unique names and numbers', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const alerts = rules.map(({ alert }) => alert);
    expect(new Set(alerts).size).toBe(alerts.length);
  });

  it('lead from each alert to its heading in the runbook, and back', () => {
    const headings = [...read('runbook.md').matchAll(/^## (\w+)$/gm)].map(([, heading = '']) => heading);
    expect(headings).toEqual(rules.map(({ alert }) => alert).sort());
    for (const { alert, annotations } of rules)
      expect(annotations['runbook_url']?.split('/docs/')[1]).toBe(`runbook.md#${alert.toLowerCase()}`);
  });

  it.skipIf(promtool.error).each(recordings)(
    `fire within three minutes of this outage, and no others: %s${note}`,
    (file) => {
      const { status, stderr } = spawnSync('promtool', ['test', 'rules', file], { cwd: RECORDED, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    },
  );

  it.skipIf(promtool.error)(`tell when the objective is missed, and not when a provider fails${note}`, () => {
    const cwd = join(DOCS, 'grafana');
    const { status, stderr } = spawnSync('promtool', ['test', 'rules', 'objective.yaml'], { cwd, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('were all seen to fire in an outage, but for those that need more time, more load or a provider without prices', () => {
    const fired = recordings.flatMap((file) =>
      readFileSync(join(RECORDED, file), 'utf8').match(/(?<=alertname=")\w+/g),
    );
    const unseen = rules.map(({ alert }) => alert).filter((alert) => !fired.includes(alert));
    expect(unseen).toEqual([
      'SearchgateChargesGivenUp',
      'SearchgateIdempotencyGivenUp',
      'SearchgateCostUnknown',
      'SearchgateUpstreamLimitTooLow',
      'SearchgateObjective',
      'SearchgateRequestLogDropped',
      'SearchgateEventsDropped',
    ]);
  });

  it('see the first event of a counter, which is no increase yet', () => {
    const blind = rules.filter(({ expr }) =>
      [...expr.matchAll(/increase\((.+?)\[(\w+)\]\)/g)].some(
        ([increase, series, window]) => !expr.includes(`(${series} unless ${series} offset ${window} or ${increase})`),
      ),
    );
    expect(blind).toEqual([]);
  });

  it('print in an alert only labels of its expression', () => {
    const wrong = rules.filter(({ expr, annotations }) => {
      const said = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      const kept = [...expr.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      return said.some((label) => label !== 'instance' && !kept.includes(label));
    });
    expect(wrong).toEqual([]);
  });
});

describe('telemetry.md', () => {
  it('has a row for every metric, with its names, its kind and its labels', () => {
    const rows = [...read('telemetry.md').matchAll(/^\| `(searchgate_\w+)` \| `([\w.]+)` \| (\w+) \| ([^|]*) \|/gm)];
    const documented = rows.map(([, own, name, kind, labels = '']) => [
      own,
      name,
      kind,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    ]);
    const existing = names.map((name) => [prometheusName(name), name, METRICS[name].kind, [...METRICS[name].labels]]);
    expect(new Set(documented)).toEqual(new Set(existing));
    expect(documented).toHaveLength(existing.length);
  });
});

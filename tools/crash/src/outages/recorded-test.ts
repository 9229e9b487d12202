import type { Series } from './prometheus.js';
import { inputSeries } from './recorded-series.js';

/** What Prometheus saw of an outage. */
export interface Recording {
  readonly series: readonly Series[];
  /** The series of firing alerts. */
  readonly alerts: readonly Series[];
  /** The first scrape, in seconds since the Unix epoch. */
  readonly startedAt: number;
}

const FIRING = 'group without (alertstate, instance, job) (max_over_time(ALERTS{alertstate="firing"}[3m]))';

/** Seconds until all alerts of an outage have fired. */
export const FIRED_S = 240;

/** A test for promtool: none fires at the beginning of the outage, and three minutes later exactly those that have fired. */
export function testOf(name: string, recording: Recording): string {
  const series = inputSeries(recording.series, recording.startedAt).map(
    (each) => `      - { series: '${each.series}', values: '${each.values}' }\n`,
  );
  const samples = recording.alerts
    .filter(({ values: [first] }) => first !== undefined && first[0] <= recording.startedAt + FIRED_S)
    .map(({ metric }) => `          - { labels: '{${labelsOf(metric)}}', value: 1 }\n`);
  const fired = [...new Set(samples)].sort();
  return `# Recorded by \`npm run stage:outages\`: scrapes every 15 s, two calls a second, the outage from 1:00 on.
rule_files: [../alerts.yaml]
evaluation_interval: 15s
tests:
  - name: ${name}
    interval: 15s
    input_series:
${series.join('')}    promql_expr_test:
      - { eval_time: 1m, expr: '${FIRING}', exp_samples: [] }
      - eval_time: ${FIRED_S}s
        expr: '${FIRING}'
        exp_samples:
${fired.join('')}`;
}

function labelsOf(metric: Series['metric']): string {
  return Object.entries(metric)
    .filter(([label]) => !['__name__', 'alertstate', 'instance', 'job'].includes(label))
    .map(([label, value]) => `${label}="${value}"`)
    .join(',');
}

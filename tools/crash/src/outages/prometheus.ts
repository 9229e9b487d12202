import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@searchgate-internal/test-servers';

export const SCRAPE_EVERY_MS = 15_000;
const READY_TRIES = 240;

/** A series with its samples, as Prometheus returns a range. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  /** Seconds since the Unix epoch, and the value. */
  readonly values: readonly (readonly [at: number, value: string])[];
}

/** A Prometheus that scrapes the processes of one outage. */
export interface Prometheus {
  /** The first scrape, in seconds since the Unix epoch. */
  readonly startedAt: number;
  /** The samples of the last hour. */
  range(selector: string): Promise<readonly Series[]>;
  stop(): Promise<void>;
}

/** Resolves when every process was scraped. @param rules the file of the alert rules. */
export async function startPrometheus(ports: readonly number[], rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-prometheus-'));
  const port = await freePort();
  const targets = ports.map((each, index) => ({
    targets: [`127.0.0.1:${each}`],
    labels: { instance: `gate-${index + 1}:9090` },
  }));
  const interval = `${SCRAPE_EVERY_MS}ms`;
  const config = {
    global: { scrape_interval: interval, evaluation_interval: interval, scrape_timeout: '5s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'searchgate', static_configs: targets }],
  };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const own = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', '--log.level=error'];
  const args = [...own, `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn('prometheus', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => child.kill());

  async function range(selector: string): Promise<readonly Series[]> {
    const query = new URLSearchParams({ query: `${selector}[1h]` });
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/query?${query.toString()}`);
    return ((await reply.json()) as { data: { result: Series[] } }).data.result;
  }

  return {
    startedAt: await firstScrape(() => range('up'), ports.length),
    range,
    async stop() {
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

/** Waits until all processes were scraped. */
async function firstScrape(readUp: () => Promise<readonly Series[]>, processes: number): Promise<number> {
  for (let tries = 0; tries < READY_TRIES; tries += 1) {
    const up = await readUp().catch(() => []);
    if (up.length === processes) return Math.min(...up.map(({ values: [first] }) => first?.[0] ?? 0));
    await sleep(250);
  }
  throw new Error('Prometheus got no metrics');
}

import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createGateway, formatUsd, type GatewayOptions, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { fakeProvider } from '@searchgate/testing';
import { onTestFinished } from 'vitest';
import { runEval } from '../../src/eval/eval-command.js';
import { temporaryFolder } from './spawn-server.js';

export const KEY = 'sg_a-secret-of-twenty-characters';

/** A gateway with the providers `good` and `poor` on a loopback port until the end of the test. */
export async function evalGateway(options: Partial<GatewayOptions> = {}, credits = '100.00') {
  const good = fakeProvider({ id: 'good', price: '0.01' });
  const poor = fakeProvider({ id: 'poor', price: '0.004' });
  const ledger = memoryLedger({ credits: { acme: credits } });
  const gateway = createGateway({
    providers: [good, poor],
    ledger,
    apiKeys: memoryApiKeys([{ apiKey: KEY, label: 'eval', organizationId: 'acme', limit: null }]),
    endpoints: { search: true, extract: true, rerank: true },
    ...options,
  });
  const server = createServer((req, res) => void handleNode(gateway, { req, res }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await gateway.close();
  });
  /** What the ledger has charged, decimal US dollars. */
  async function charged(): Promise<string> {
    const { entries } = await ledger.entries({ limit: 1_000 });
    return formatUsd(entries.reduce((sum, { kind, amount }) => (kind === 'charge' ? sum + amount : sum), 0n));
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  return { good, poor, ledger, charged, url };
}

export interface EvalReport {
  readonly spent: string;
  readonly ended: string | null;
  readonly calls: number;
  readonly models: readonly Readonly<Record<string, never>>[];
  readonly pairs: readonly Readonly<Record<string, never>>[];
  readonly results: readonly {
    readonly id: string;
    readonly model: string;
    readonly right?: number;
    readonly cost: string;
  }[];
}

/** A folder with a file of questions, in which the command runs in this process. */
export function evalFolder(lines: readonly (object | string)[]) {
  const folder = temporaryFolder();
  const file = join(folder, 'questions.jsonl');
  const out = join(folder, 'report.json');
  const write = (rows: readonly (object | string)[]) =>
    writeFileSync(file, rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join(''));
  write(lines);

  async function run(
    argv: readonly string[],
    environment: Record<string, string> = {},
    { interrupt = new AbortController(), onWait = (): unknown => undefined } = {},
  ) {
    const printed = { stdout: '', stderr: '' };
    const waits: number[] = [];
    const code = await runEval([file, '--out', out, '--max-cost', '10', ...argv], {
      command: 'searchgate eval',
      environment,
      out: (text) => Promise.resolve(void (printed.stdout += text)),
      err: (text) => void (printed.stderr += text),
      signal: interrupt.signal,
      now: () => new Date(0),
      wait(ms) {
        onWait();
        return Promise.resolve(waits.push(ms));
      },
    });
    return { code, waits, ...printed };
  }
  const read = (ending: string) => readFileSync(join(folder, `report.${ending}`), 'utf8');
  const report = () => JSON.parse(read('json')) as EvalReport;
  const exists = (name: string) => existsSync(join(folder, name));
  return { folder, file, out, write, run, read, report, exists };
}

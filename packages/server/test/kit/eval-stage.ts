import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createGateway, formatUsd, type GatewayOptions, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { fakeProvider } from '@searchgate/testing';
import { onTestFinished } from 'vitest';
import { runEval } from '../../src/eval/eval-command.js';
import { temporaryFolder } from './spawn-server.js';

export const KEY = 'sg_a-secret-of-twenty-characters';

/** Serves on a loopback port until the end of the test. @returns its address. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

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
  onTestFinished(() => gateway.close());
  const url = `${await serve((req, res) => void handleNode(gateway, { req, res }))}/api/v1`;
  /** What the ledger has charged, decimal US dollars. */
  async function charged(): Promise<string> {
    const { entries } = await ledger.entries({ limit: 1_000 });
    return formatUsd(entries.reduce((sum, { kind, amount }) => (kind === 'charge' ? sum + amount : sum), 0n));
  }
  return { good, poor, ledger, charged, url };
}

type Fields = Readonly<Record<string, unknown>>;

/** A report, as far as tests read it by name. */
interface EvalReport extends Fields {
  readonly spent: string;
  readonly results: readonly Fields[];
}

/** A folder with a file of questions, in which the command runs in this process. */
export function evalFolder(lines: readonly (object | string)[]) {
  const folder = temporaryFolder();
  const file = join(folder, 'questions.jsonl');
  const out = join(folder, 'report.json');
  const fixed = [file, '--out', out, '--max-cost', '10'];
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));

  async function run(
    argv: readonly string[],
    environment: Record<string, string> = {},
    { interrupt = new AbortController(), onWait = (): unknown => undefined } = {},
  ) {
    const printed = { stdout: '', stderr: '' };
    const waits: number[] = [];
    const code = await runEval([...fixed, ...argv], {
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
  return { folder, file, out, fixed, run, read, report };
}

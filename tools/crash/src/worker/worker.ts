import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway, eventToJson, type GatewayEvent, hashApiKey, type KeyIdentity } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import type { ModelRow, Provider } from '@searchgate/core/provider-kit';
import { openLedger } from '../open-ledger.js';
import { FLAT, type LoopbackReply, METERED } from '../upstream-dialects.js';
import type { WorkerCommand, WorkerOptions, WorkerReply, WorkerRequest } from './worker-options.js';

const SOURCE = { source: 'https://example.org/pricing', asOf: '2026-11-21', confidence: 'high' } as const;
const PRICE = '0.005';

/** Asks the test process's question server over HTTP, otherwise like any provider. */
function loopbackProvider(upstreamUrl: string, timeoutMs: number): Provider {
  const url = new URL(upstreamUrl);
  const model = (slug: string): Omit<ModelRow, 'prices'> => ({
    slug,
    name: slug,
    description: 'Answers from the test process.',
    features: [],
    contextLength: null,
    timeoutMs,
  });
  return {
    id: 'loopback',
    name: 'Loopback',
    models: [
      { ...model(FLAT), prices: [{ ...SOURCE, kind: 'flat', request: PRICE }] },
      // Every call is held at the ceiling and costs a little less, a unique amount: so a charge identifies its call.
      { ...model(METERED), prices: [{ ...SOURCE, kind: 'dynamic', typical: PRICE, ceiling: PRICE }] },
    ],
    answer: {
      async answer({ model: { slug }, query }, { upstream }) {
        const json = { model: slug, question: query };
        const response = await upstream.send({ method: 'POST', url, headers: {}, json });
        const { answer, reportedNanos } = JSON.parse(response.text) as LoopbackReply;
        const cost = reportedNanos === undefined ? {} : { reported: BigInt(reportedNanos) };
        return { text: answer, citations: [], cost };
      },
    },
  };
}

// A gateway as a host would run it, in a process that can be killed at any moment.
const options = JSON.parse(process.argv[2] ?? '') as WorkerOptions;
const { ledger, close } = await openLedger(options.location);
await ledger.migrate();

const { answerTimeoutMs, holdGraceMs, expireHoldsEveryMs, ledgerTimeoutMs, alerts } = options;
const gateway = createGateway({
  providers: [loopbackProvider(options.upstreamUrl, answerTimeoutMs)],
  ledger,
  ...(options.identityBudgets ? { authenticate: identify } : { apiKeys: ledger.apiKeys }),
  endpoints: { asyncAnswers: true },
  // One call makes one call upstream, so the entries of the ledger can be counted.
  maxAttempts: 1,
  holdGraceMs,
  expireHoldsEveryMs,
  ledgerTimeoutMs,
  keyCacheMaxKeys: 64,
  alerts: alerts && { thresholds: alerts.thresholds },
  onEvent: alerts && ((event) => postAlert(alerts.url, event)),
  logger: { warn: logTo('warn'), error: logTo('error') },
});

const server = createServer((req, res) => {
  void handleNode(gateway, { req, res }).then((ours) => ours || res.writeHead(404).end());
});
server.listen(0, '127.0.0.1', () => {
  reply({ id: 0, result: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});

const commands: Record<WorkerCommand, () => Promise<unknown>> = {
  expireHolds: () => ledger.expireHolds(Date.now()),
  async stop() {
    await gateway.close();
    await close();
  },
};
process.on('message', ({ id, command }: WorkerRequest) => {
  commands[command]().then(
    (result) => reply({ id, result }),
    (error: unknown) => reply({ id, error: String(error) }),
  );
});
// Without its parent process, a worker has to end itself.
process.on('disconnect', () => process.exit(0));

/** As a host that brings its budgets itself, for keys without limits. */
async function identify(token: string | null): Promise<KeyIdentity | null> {
  const key = token === null ? undefined : await ledger.apiKeys.findByHash(hashApiKey(token));
  if (key === undefined) return null;
  return { id: key.id, organizationId: key.organizationId, budgets: options.identityBudgets };
}

/** Resolves when the receiver has answered. */
async function postAlert(url: string, event: GatewayEvent): Promise<void> {
  if (event.type === 'budget_threshold') await fetch(url, { method: 'POST', body: eventToJson(event) });
}

function reply(message: WorkerReply): void {
  process.send?.(message);
}

function logTo(level: string) {
  return (fields: Record<string, unknown>, message: string) => {
    const { error, ...rest } = fields;
    process.stderr.write(
      `${level} ${message} ${JSON.stringify(rest)} ${error instanceof Error ? error.message : ''}\n`,
    );
  };
}

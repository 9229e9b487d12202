import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { type Administration, createAdministration } from '@searchgate/core/administration';
import { memoryAuditLog, memoryRequestLog, type RequestLog, systemClock } from '@searchgate/core/ledger';
import type { ModelRow } from '@searchgate/core/provider-kit';
import { fakeProvider } from '@searchgate/testing';
import { inject, onTestFinished } from 'vitest';
import { buildDashboard } from '../../src/create-dashboard.js';
import type { Permission } from '../../src/scope.js';
import { portsOf } from '../ports-of.js';
import { memoryVault, withVault } from '../with-vault.js';
import { DASHBOARD_PATH, GATEWAY_PATH, HOSTS, listen } from './hosts.js';

const CITATIONS = [
  {
    url: 'https://example.org/zephyr/opening',
    title: 'Zephyr Bridge opens after nine years',
    snippet: 'The mayor opened the bridge on 14 May 2021.',
  },
  {
    url: 'https://example.org/register/zephyr',
    title: 'Register of bridges',
    snippet: 'Zephyr Bridge: 1,204 m long, two lanes.',
  },
  {
    url: 'https://council.example/minutes/2021-05',
    title: 'Minutes of the city council, May 2021',
    snippet: 'Costs: twice the plan.',
  },
] as const;

const FIRST_PART = 'The Zephyr Bridge opened on **14 May 2021** [1], after';
const SECOND_PART = ` \`nine\` years of work.

- It is 1,204 m long [2].
- It cost twice what was planned; see [the minutes](https://example.org/minutes) [3].

<img src="x" onerror="alert(1)"> is text.
`;

/** HTML, and marks that would block a parser with quadratic time. */
const HOSTILE = '**[`<img src=x onerror=alert(1)>[1](http://'.repeat(34_000);

/** A question with "Wait" waits for `finish`; "fail" fails; "hostile" returns a long text full of marks. */
function scriptedProvider(id: string, models: readonly Partial<ModelRow>[]) {
  const waiting = new Set<() => void>();
  const wait = () => new Promise<void>((resolve) => waiting.add(resolve));
  const provider = fakeProvider({
    id,
    models: models.map((model) => ({ name: `${id} answer`, timeoutMs: 60_000, ...model })),
    price: '0.005',
    replies: [
      ({ query }) => {
        if (/fail/i.test(query)) return { failure: 'upstream_error' };
        if (/hostile/i.test(query)) return { text: HOSTILE, citations: CITATIONS };
        return { text: [FIRST_PART, ...(/wait/i.test(query) ? [wait()] : []), SECOND_PART], citations: CITATIONS };
      },
    ],
  });
  /** Finishes all waiting answers. */
  const finish = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  return { provider, finish };
}

/** The permissions of users; the cookie `user` names the user. */
const USERS: Readonly<Record<string, Permission>> = {
  operator: { role: 'operator', organizations: 'all' },
  viewer: { role: 'viewer', organizations: ['acme'] },
  tenant: { role: 'operator', organizations: ['acme'] },
};

const ALL_OPTIONS = {
  includeDomains: { as: 'sites' },
  excludeDomains: { as: 'not' },
  freshness: { as: 'age' },
  publishedAfter: { as: 'from' },
  publishedBefore: { as: 'to' },
  country: { as: 'country' },
  language: { as: 'language' },
};

export interface Stage {
  readonly origin: string;
  /** The dashboard's address without a trailing slash, as a user types it. */
  readonly url: string;
  readonly administration: Administration;
  readonly ledger: ReturnType<typeof memoryLedger>;
  readonly log: RequestLog;
  /** Finishes all waiting answers. */
  finish(): void;
  /** Asks the gateway directly, as a program does. @param model index of the model. Default: the first. @returns the status. */
  ask(apiKey: string, model?: number): Promise<number>;
}

/** A server with a gateway and its dashboard, below a long path, over a memory ledger with two organizations. */
export async function openStage(
  host: keyof typeof HOSTS = 'Express 5',
  clock = systemClock,
  hasKeys = true,
): Promise<Stage> {
  const exa = scriptedProvider('exa', [
    { options: ALL_OPTIONS },
    { slug: 'exa/report', name: 'exa report', prices: [REPORT_PRICE] },
  ]);
  const perplexity = scriptedProvider('perplexity', [
    { slug: 'perplexity/sonar', options: { freshness: { as: 'recency' } } },
  ]);
  const ledger = memoryLedger({ credits: { acme: '250.00', house: '20.00' }, clock });
  const apiKeys = memoryApiKeys();
  const providers = [{ ...exa.provider, ...portsOf('exa') }, perplexity.provider];
  const logger = { warn: () => undefined, error: () => undefined };
  const callers = hasKeys ? { apiKeys } : { authenticate: () => ({ id: 'user-7', organizationId: 'acme' }) };
  const log = memoryRequestLog({ maxRows: 50_000 });
  const requestLog = { log };
  const gateway = createGateway({ providers, ledger, ...callers, clock, logger, maxAttempts: 1, requestLog });
  const plain = createAdministration({
    ledger,
    ...(hasKeys && { apiKeys }),
    gateway,
    requestLog: log,
    auditLog: memoryAuditLog(),
    clock,
  });
  const vault = memoryVault(['exa', 'perplexity'], Date.now);
  const administration = hasKeys ? withVault(plain, vault) : plain;
  const dashboard = buildDashboard(
    {
      gateway,
      administration,
      clock,
      authorize: (request) => USERS[request.header('cookie')?.replace('user=', '') ?? ''] ?? null,
      house: { organizationId: 'house' },
      answerUrl: `${GATEWAY_PATH}/api/v1/answer`,
    },
    inject('pageFolder'),
  );
  const finish = () => {
    exa.finish();
    perplexity.finish();
  };
  const origin = await listen(HOSTS[host]({ [GATEWAY_PATH]: gateway, [DASHBOARD_PATH]: dashboard }));
  onTestFinished(async () => {
    finish();
    dashboard.close();
    await gateway.close();
  });
  return {
    origin,
    url: `${origin}${DASHBOARD_PATH}`,
    administration,
    ledger,
    log,
    finish,
    async ask(apiKey, model = 0) {
      const question = { model: MODELS[model % MODELS.length], query: 'When did it open?' };
      const response = await fetch(`${origin}${GATEWAY_PATH}/api/v1/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: JSON.stringify(question),
      });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

const MODELS = ['exa/answer', 'perplexity/sonar', 'exa/report'];
const REPORT_PRICE = { kind: 'flat', request: '0.05', source: 'test', asOf: '2026-11-22', confidence: 'high' } as const;

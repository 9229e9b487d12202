import { createGateway, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { type Administration, createAdministration } from '@searchgate/core/administration';
import { systemClock } from '@searchgate/core/ledger';
import { inject, onTestFinished } from 'vitest';
import { buildDashboard } from '../../src/create-dashboard.js';
import type { Permission } from '../../src/scope.js';
import { DASHBOARD_PATH, GATEWAY_PATH, HOSTS, listen } from './hosts.js';
import { scriptedProvider } from './scripted-provider.js';

/** Who a browser is, by its cookie `user`. */
const USERS: Readonly<Record<string, Permission>> = {
  operator: { role: 'operator', organizations: 'all' },
  viewer: { role: 'viewer', organizations: ['acme'] },
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
  /** The dashboard as it is typed in: without a slash at its end. */
  readonly url: string;
  readonly administration: Administration;
  /** Lets the answers that wait be finished. */
  finish(): void;
  /** Asks the gateway itself, as a program does. @param model a number for each. Default: the first. @returns the status. */
  ask(apiKey: string, model?: number): Promise<number>;
}

/** A gateway and its dashboard on a server, deep below a path, over a memory ledger with two organizations. */
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
  const providers = [exa.provider, perplexity.provider];
  const logger = { warn: () => undefined, error: () => undefined };
  const callers = hasKeys ? { apiKeys } : { authenticate: () => ({ id: 'user-7', organizationId: 'acme' }) };
  const gateway = createGateway({ providers, ledger, ...callers, clock, logger, maxAttempts: 1 });
  const administration = createAdministration({ ledger, ...(hasKeys && { apiKeys }), gateway, clock });
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

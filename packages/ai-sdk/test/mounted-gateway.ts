import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSearchgate, type SearchgateProvider, type SearchgateSettings } from '@searchgate/ai-sdk';
import { createGateway, formatUsd, type GatewayOptions, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import type { AnswerAdapter, AnswerOutcome, ModelRow, Provider } from '@searchgate/core/provider-kit';
import { onTestFinished } from 'vitest';

// Turns off the SDK's log of warnings, which tests provoke.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

export const KEY = 'a-secret-of-twenty-characters';
export const MODEL = 'exa/answer';
export const QUESTION = 'When did the Zephyr Bridge open?';
export const OUTCOME: AnswerOutcome = {
  text: 'In May 2021 [1][2].',
  citations: [
    { url: 'https://example.org/a', title: 'A', snippet: 'Opened in May.' },
    { url: 'https://example.org/b', title: 'B', snippet: '' },
  ],
  cost: {},
};

/** {@link OUTCOME}, after a check of its citations. */
export const CHECKED = { ...OUTCOME, grounding: { sentences: 9, supported: 4, unsupported: 2, removed: 3 } };

interface RecordedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown>;
}

interface Setup extends Partial<GatewayOptions> {
  readonly answer?: AnswerAdapter['answer'];
  readonly stream?: NonNullable<AnswerAdapter['stream']>;
  /** Features of the model beside citations and streaming. Default: none. */
  readonly features?: readonly string[];
  /** Ports of the provider besides its answers. */
  readonly ports?: Pick<Provider, 'search' | 'rerank' | 'embed'>;
  /** Decimal USD of the organization. Default 1. */
  readonly credits?: string;
  /** Called before the gateway, with the number of the request from 1. Returns `true` when it has answered itself. */
  readonly front?: (req: IncomingMessage, res: ServerResponse, count: number) => boolean;
  readonly settings?: Partial<SearchgateSettings>;
}

export interface MountedGateway {
  readonly searchgate: SearchgateProvider;
  /** Where the gateway is mounted. */
  readonly baseUrl: string;
  /** The requests of the AI SDK's provider. */
  readonly requests: RecordedRequest[];
  /** The amount charged to the organization, in USD. */
  charged(): Promise<string>;
}

/** A gateway on a loopback server with one model at 0.01 USD, and an AI SDK provider that asks it. */
export async function mountGateway(setup: Setup = {}): Promise<MountedGateway> {
  const {
    answer = () => Promise.resolve(OUTCOME),
    stream,
    features,
    ports,
    credits = '1.00',
    front,
    settings,
    ...options
  } = setup;
  const requests: RecordedRequest[] = [];
  const ledger = memoryLedger({ credits: { acme: credits } });
  const gateway = createGateway({
    providers: [{ ...scripted({ answer, ...(stream && { stream }) }, features), ...ports }],
    ledger,
    apiKeys: memoryApiKeys([{ apiKey: KEY, label: 'demo', organizationId: 'acme' }]),
    maxAttempts: 1,
    ...options,
  });
  let count = 0;
  const server = createServer((req, res) => {
    count += 1;
    if (front?.(req, res, count) !== true) void handleNode(gateway, { req, res });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await gateway.close();
  });
  const recordingFetch: typeof fetch = (input, init) => {
    const headers = Object.fromEntries(new Headers(init?.headers));
    requests.push({ headers, body: JSON.parse(init?.body as string) as Record<string, unknown> });
    return fetch(input, init);
  };
  return {
    searchgate: createSearchgate({ baseUrl, apiKey: KEY, fetch: recordingFetch, ...settings }),
    baseUrl,
    requests,
    charged: async () => formatUsd((await ledger.organizationTotals('acme')).usage),
  };
}

/** Lets the first reply begin, and cuts its connection within the body. */
export const cutsFirstReply: NonNullable<Setup['front']> = (_req, res, count) => {
  if (count === 1) {
    res.setHeader('retry-after', '0');
    res.end = ((body: string) => {
      res.write(body.slice(0, 20), () => res.destroy());
      return res;
    }) as typeof res.end;
  }
  return false;
};

/** The rejection reason of a promise. */
export const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => new Error('nothing was thrown'),
    (error: unknown) => error,
  );

/** A row for a model of {@link Setup.ports}. */
export function modelRow(slug: string, price: object, facts: object = {}): ModelRow {
  const prices = [{ kind: 'flat' as const, ...price, source: 'test', asOf: '2026-11-27', confidence: 'high' as const }];
  const described = { name: 'Exa', description: 'A scripted model.', features: [], contextLength: null };
  return { slug, ...described, prices, timeoutMs: 10_000, ...facts };
}

function scripted(answer: AnswerAdapter, features: readonly string[] = []): Provider {
  return {
    id: 'exa',
    name: 'Exa',
    policies: ['eu'],
    models: [
      {
        slug: MODEL,
        name: 'Exa',
        description: 'A scripted model.',
        prices: [{ kind: 'flat', request: '0.01', source: 'test', asOf: '2026-11-22', confidence: 'high' }],
        features: ['citations', 'streaming', ...features],
        options: { includeDomains: { as: 'domains' }, freshness: { as: 'age' } },
        contextLength: null,
        timeoutMs: 10_000,
      },
    ],
    answer,
  };
}

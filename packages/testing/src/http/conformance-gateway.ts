import {
  type ApiKeyStore,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type Ledger,
  memoryApiKeys,
  memoryLedger,
} from '@searchgate/core';
import { systemClock } from '@searchgate/core/ledger';
import { chatCompletions, responses } from '@searchgate/dialects';
import { createFakeClock, type FakeClock } from '../fake-clock.js';
import { createLatch } from './latch.js';
import { type StubProvider, stubProvider } from './stub-provider.js';

/** Bearer tokens for every state of a key. */
export const KEYS = {
  /** Unlimited, in an organization with 100 USD. */
  funded: 'sg_funded_0123456789abcdef',
  /** Limited to 5 USD. */
  limited: 'sg_limited_0123456789abcdef',
  /** Limited to less than the cheapest answer. */
  spent: 'sg_spent_0123456789abcdef',
  /** Limited to one answer and a half. */
  tight: 'sg_tight_0123456789abcdef',
  /** Limited to one answer and a half a day. */
  daily: 'sg_daily_0123456789abcdef',
  /** Over its limit, as dynamic prices allow. */
  overspent: 'sg_overspent_0123456789abcdef',
  /** In an organization with too few credits for an answer. */
  poor: 'sg_poor_0123456789abcdef',
  /** In an organization with credits for one answer and a half. */
  shared: 'sg_shared_0123456789abcdef',
  /** In an organization without credits, for which the operator pays. */
  sponsored: 'sg_sponsored_0123456789abcdef',
  /** May call `stub/backup` only. */
  restricted: 'sg_restricted_0123456789abcdef',
  /** May ask twice a minute, one at a time, in an organization that may ask three times a minute, one at a time. */
  rated: 'sg_rated_0123456789abcdef',
  /** The same limits, in the same organization. */
  alsoRated: 'sg_alsorated_0123456789abcdef',
  /** In a budget of one answer and a half a day, and in a budget that only warns. */
  teamed: 'sg_teamed_0123456789abcdef',
  revoked: 'sg_revoked_0123456789abcdef',
  expired: 'sg_expired_0123456789abcdef',
  /** In a suspended organization. */
  suspended: 'sg_suspended_0123456789abcdef',
} as const;
export type KeyName = keyof typeof KEYS;

/** The organizations of keys outside `acme`. */
const ORGANIZATIONS: { readonly [N in KeyName]?: string } = {
  poor: 'poor',
  shared: 'shared',
  sponsored: 'sponsored',
  suspended: 'frozen',
  rated: 'rated',
  alsoRated: 'rated',
};
const RATES = { rateLimit: { requests: 2, periodMs: 60_000 }, maxConcurrent: 1 };
const RATES_OF_ORGANIZATION = { rateLimit: { requests: 3, periodMs: 60_000 }, maxConcurrent: 1 };
const LIMITS: { readonly [N in KeyName]?: string } = {
  limited: '5.00',
  spent: '0.001',
  tight: '0.0075',
  daily: '0.0075',
  overspent: '0.01',
};

const BUDGETS = [
  { organizationId: 'acme', id: 'team', limit: '0.0075', limitReset: 'daily' },
  { organizationId: 'acme', id: 'watched', limit: '0.001', mode: 'warn' },
] as const;

export const organizationOf = (key: KeyName): string => ORGANIZATIONS[key] ?? 'acme';

/** The parts of a gateway that rows may replace. */
export interface GatewayParts {
  readonly ledger: Ledger;
  readonly apiKeys: ApiKeyStore;
}

/** A gateway for a row, and the controls of its parts. */
export interface ConformanceGateway {
  /** With the options of the row. */
  readonly gateway: Gateway;
  /** The real ledger, even if the row wraps it in a faulty one. */
  readonly ledger: Ledger;
  /** Only the test moves it; the gateway times bodies, providers and its ledger by it. */
  readonly clock: FakeClock;
  /** Waits and fails as the queries of the row say. */
  readonly provider: StubProvider;
  /** Resolves when the gateway waits for a body. */
  readonly awaitingBody: Promise<void>;
}

/** A unique delay, so that its timer can be recognized. */
export const BODY_TIMEOUT_MS = 10_007;

/** The pause in a long reply whose reader is behind. Readers are on the network, which no test moves. */
const READER_PAUSE_MS = 10;

/** Builds a separate gateway for one row. */
export async function conformanceGateway(
  replace: (parts: GatewayParts) => Partial<GatewayOptions> = () => ({}),
): Promise<ConformanceGateway> {
  const clock = createFakeClock();
  const ledger = memoryLedger({
    credits: { acme: '100', poor: '0.001', shared: '0.0075', frozen: '1', rated: '1' },
    clock,
  });
  await ledger.adjust({
    adjustmentId: 'overspend',
    organizationId: 'acme',
    keyId: 'overspent',
    amount: 20_000_000n,
    note: 'for GET /key',
  });
  const apiKeys = await conformanceKeys();
  const provider = stubProvider();
  const awaitingBody = createLatch();
  const { authenticate, ...replaced } = replace({ ledger, apiKeys });
  const gateway = createGateway({
    providers: [provider],
    ledger,
    ...(authenticate === undefined ? { apiKeys } : { authenticate }),
    endpoints: { chatCompletions: chatCompletions(), responses: responses() },
    aliases: { fast: 'stub/flat' },
    fallbacks: { 'stub/fragile': ['stub/backup'] },
    models: {
      'stub/vectors': {
        category: 'embedding',
        name: 'Stub vectors',
        description: 'Listed only.',
        dimensions: 8,
        pricing: { perMillionTokens: '0.02' },
      },
    },
    maxAttempts: 1,
    bodyTimeoutMs: BODY_TIMEOUT_MS,
    // No row needs the sweep, and a row that advances a day would run it 2,880 times.
    expireHoldsEveryMs: 0,
    // Small: a cache allocates all entries at once, the largest cost of building a gateway.
    keyCacheMaxKeys: 16,
    clock: {
      ...clock,
      schedule(delayMs, callback, background) {
        if (delayMs === BODY_TIMEOUT_MS) awaitingBody.open();
        if (delayMs === READER_PAUSE_MS) return systemClock.schedule(delayMs, callback, background);
        return clock.schedule(delayMs, callback, background);
      },
    },
    logger: { warn: () => undefined, error: () => undefined },
    ...replaced,
  });
  return { gateway, ledger, clock, provider, awaitingBody: awaitingBody.opened };
}

async function conformanceKeys(): Promise<ApiKeyStore> {
  const names = Object.keys(KEYS) as KeyName[];
  const keys = memoryApiKeys(
    names.map((name) => ({
      apiKey: KEYS[name],
      id: name,
      label: `the ${name} key`,
      organizationId: organizationOf(name),
      limit: LIMITS[name] ?? null,
      limitReset: name === 'daily' ? 'daily' : null,
      allowedModels: name === 'restricted' ? ['stub/backup'] : null,
      expiresAt: name === 'expired' ? '2025-12-31T23:59:59Z' : null,
      revoked: name === 'revoked',
      budgets: name === 'teamed' ? BUDGETS.map(({ id }) => id) : [],
      ...(organizationOf(name) === 'rated' && RATES),
    })),
    { budgets: BUDGETS },
  );
  await keys.updateOrganization('frozen', { suspendedAtMs: 0 });
  await keys.updateOrganization('sponsored', { operatorPays: true });
  await keys.updateOrganization('rated', RATES_OF_ORGANIZATION);
  return keys;
}

import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdministration } from '../src/admin/index.js';
import {
  createGateway,
  type GatewayOptions,
  memoryApiKeys,
  memoryIdempotency,
  memoryLedger,
  toFetchHandler,
} from '../src/index.js';
import { type AnswerOutcome, type ModelRow, type Provider, UpstreamError } from '../src/provider-kit/index.js';
import { propertiesOf } from './source-types.js';

const KEY = 'a-secret-of-twenty-characters';
const SOURCE = {
  source: 'test',
  asOf: '2026-11-22',
  confidence: 'high',
  notes: undefined,
  validFrom: undefined,
} as const;
const FLAT = { kind: 'flat', request: '0.005', ...SOURCE } as const;
const DYNAMIC = {
  kind: 'dynamic',
  typical: '0.002',
  ceiling: '0.01',
  perMillionInputTokens: undefined,
  perMillionCachedInputTokens: undefined,
  perMillionOutputTokens: undefined,
  perSearch: undefined,
  ...SOURCE,
} as const;
const NO_USAGE = {
  inputTokens: undefined,
  cachedInputTokens: undefined,
  outputTokens: undefined,
  searches: undefined,
  otherFees: undefined,
};
const OUTCOME: AnswerOutcome = {
  text: 'Open since 2021 [1].',
  citations: [{ url: 'https://example.org/a', title: undefined, snippet: undefined }],
  cost: { reported: undefined, usage: undefined },
  upstreamRequestId: undefined,
  servedModel: undefined,
};

function provider(price: ModelRow['prices'][number] = FLAT, answer = () => Promise.resolve(OUTCOME)): Provider {
  const facts = { name: 'Own', description: 'A provider of the host.', contextLength: null, timeoutMs: 1_000 };
  const model = { slug: 'own/answer', ...facts, prices: [price], features: ['citations'], vendorFeatures: undefined };
  return { id: 'own', name: 'Own', models: [model], answer: { answer } };
}

/** Every optional option, as `undefined`. */
function absent(path: string, name: string): Record<string, undefined> {
  return Object.fromEntries(propertiesOf(path, name).map((property) => [property, undefined]));
}

function start(options: Pick<GatewayOptions, 'apiKeys' | 'authenticate'>, own = provider()) {
  const ledger = memoryLedger({
    ...absent('ledger/memory-ledger.ts', 'MemoryLedgerOptions'),
    credits: { acme: '1.00' },
  });
  const none = absent('gateway-options.ts', 'GatewayOptions');
  const gateway = createGateway({ ...none, providers: [own], ledger, ...options });
  onTestFinished(() => gateway.close());
  return { gateway, ledger };
}

const OWN_KEY = {
  ...absent('auth/memory-api-keys.ts', 'MemoryApiKey'),
  apiKey: KEY,
  label: 'demo',
  organizationId: 'acme',
};
const ANSWER = {
  answer: 'Open since 2021 [1].',
  citations: [{ url: 'https://example.org/a', title: 'example.org', snippet: '' }],
  usage: { cost: 0.005 },
};

describe('an option given as undefined counts as absent', () => {
  it('in the gateway, the ledger, a key, a call and a provider’s result', async () => {
    const { gateway } = start({ apiKeys: memoryApiKeys([OWN_KEY]) });
    const call = { apiKey: KEY, model: 'own/answer', query: 'When?', includeCitations: undefined };
    expect(await gateway.answer(call)).toMatchObject(ANSWER);
    expect(await gateway.key({ apiKey: KEY })).toMatchObject({ label: 'demo', limit: null, limitReset: null });
    expect(gateway.models({ category: undefined }).length).toBeGreaterThan(1);
  });

  it('in the identity that a host returns', async () => {
    const none = { label: undefined, limit: undefined, limitReset: undefined, allowedModels: undefined };
    const { gateway } = start({ authenticate: () => ({ id: 'me', organizationId: 'acme', ...none }) });
    const handle = toFetchHandler(gateway, { prefix: undefined, otherwise: undefined });
    const headers = { authorization: `Bearer ${KEY}` };
    const reply = await handle(new Request('http://localhost/api/v1/key', { headers }));
    expect(await reply.json()).toMatchObject({ label: 'me', usage: 0, limit: null, limit_remaining: null });
  });

  it.each([
    ['nothing', undefined, 0.01],
    ['usage without figures', NO_USAGE, 0.01],
    ['fees alone', { ...NO_USAGE, otherFees: 3_000_000n }, 0.003],
  ])('in the figures of a price if a provider reports %s', async (_what, usage, cost) => {
    const own = provider(DYNAMIC, () => Promise.resolve({ ...OUTCOME, cost: { reported: undefined, usage } }));
    const { gateway } = start({ apiKeys: memoryApiKeys([OWN_KEY]) }, own);
    expect(await gateway.answer({ apiKey: KEY, model: 'own/answer', query: 'When?' })).toMatchObject({
      usage: { cost },
    });
  });

  it('in an UpstreamError', () => {
    const none = { status: undefined, retryAfterMs: undefined, cost: undefined, detail: undefined, cause: undefined };
    const error = new UpstreamError('query_rejected', { phase: 'headers', ...none });
    expect(error).toMatchObject({ status: null, retryAfterMs: null, cost: null, detail: '' });
  });

  it('in administration, where an update keeps such a field', async () => {
    const [ledger, apiKeys] = [memoryLedger(), memoryApiKeys()];
    const administration = createAdministration({ ledger, apiKeys, gateway: undefined, clock: undefined });
    const none = { limitReset: undefined, allowedModels: undefined, expiresAt: undefined };
    await administration.organizations.create({ id: 'acme', name: undefined });
    await administration.grant({ organizationId: 'acme', amount: '5.00', note: undefined, grantId: undefined });
    const { key } = await administration.apiKeys.create({ organizationId: 'acme', label: 'a', limit: '1.00', ...none });
    const updated = await administration.apiKeys.update(key.id, { label: 'b', limit: undefined, ...none });
    expect(updated).toEqual({ ...key, label: 'b' });
    const range = { organizationId: undefined, keyId: undefined, fromMs: undefined, toMs: undefined };
    expect((await ledger.entries({ ...range, cursor: undefined, limit: undefined })).entries).toHaveLength(1);
    expect(
      (await administration.apiKeys.list({ organizationId: undefined, cursor: undefined, limit: undefined })).items,
    ).toHaveLength(1);
  });

  it('in the memory store of idempotency keys', () => {
    expect(() => memoryIdempotency({ maxBytes: undefined })).not.toThrow();
  });
});

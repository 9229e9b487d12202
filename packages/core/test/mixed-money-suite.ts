import { createFakeClock, type FakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGateway, type Gateway, isRequestError, type Ledger, memoryApiKeys } from '../src/index.js';
import type { LedgerEntry } from '../src/ledger/index.js';
import {
  type CallContext,
  type FlatPrice,
  type ModelRow,
  type OutcomeCost,
  type Provider,
  UpstreamError,
} from '../src/provider-kit/index.js';
import { type Bounds, checkedHolds } from './money-oracle.js';
import { playUntilSeen } from './play-until-seen.js';
import { KEY, reasonOf } from './scripted-gateway.js';

const IDS = ['one', 'two'] as const;
const KINDS = ['answer', 'find', 'read', 'sort', 'turn'] as const;
/** The kinds of which one model can take the place of another. */
const REPLACEABLE = KINDS.filter((kind) => kind !== 'turn');
type Kind = (typeof KINDS)[number];

/** The end of a call of a port. A success reports its bill, or the list price is billed; a failure reports its bill, except for silence. */
const script = fc.record({
  id: fc.constantFrom(...IDS),
  // Often soon, so that time is left for another attempt.
  afterMs: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 14_000 })),
  bills: fc.bigInt({ min: 1n, max: 12_000_000n }),
  end: fc.constantFrom(
    ...(['reports', 'reports', 'says nothing', 'stays silent'] as const),
    ...(['upstream_error', 'query_rejected', 'upstream_auth_failed', 'upstream_auth_failed'] as const),
  ),
  /** Of the pages of an extract. A search where this is 3 finds nothing. */
  failed: fc.nat(3),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

const call = fc.record({
  kind: fc.constantFrom(...KINDS),
  id: fc.constantFrom(...IDS),
  /** Results of a search, pages of an extract, fifties of documents, texts of one token. */
  units: fc.integer({ min: 1, max: 20 }),
  gapMs: fc.nat(6_000),
  patienceMs: fc.option(fc.nat(20_000), { nil: undefined }),
  keys: fc.constantFrom(undefined, undefined, undefined, undefined, 'own' as const, 'shared' as const),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const FEES = { share: { share: '0.05' }, request: { request: '0.0005' }, none: '0' } as const;

/** The keys that the organization has at the vendors itself, and what calls with them cost. */
const ownKeys = fc.record({
  one: fc.constantFrom('none', 'has', 'has', 'fails'),
  two: fc.constantFrom('none', 'none', 'has'),
  fee: fc.constantFrom<keyof typeof FEES>('share', 'request', 'none'),
  sharedKeys: fc.constantFrom(true, true, false),
});
type OwnKeys = typeof ownKeys extends fc.Arbitrary<infer T> ? T : never;

const PRICES: Readonly<Record<Kind, Partial<FlatPrice>>> = {
  answer: { request: '0.005' },
  find: { request: '0.004', perResult: '0.001', includedResults: 10 },
  read: { perPage: '0.001' },
  sort: { perSearchUnit: '0.001' },
  turn: { perMillionTokens: '1000' },
};

function rowOf(id: string, kind: Kind): ModelRow {
  const provenance = { source: 'test', asOf: '2026-11-26', confidence: 'high' } as const;
  return {
    slug: `${id}/${kind}`,
    name: id,
    description: 'A played model.',
    prices: [{ kind: 'flat', ...PRICES[kind], ...provenance }],
    features: kind === 'answer' ? ['citations'] : [],
    contextLength: null,
    maxResults: 20,
    dimensions: 1,
    timeoutMs: 10_000,
  };
}

/** The most pages or texts of a call. */
const MAX_UNITS = 20;

/** Providers of all ports that play the scripts and add up their bills. */
function playedProviders(clock: FakeClock, scripts: readonly Script[], maxUnits = MAX_UNITS) {
  // What the vendors bill to the operator, and to the organization with its own keys.
  const spend = { billed: 0n, tenant: 0n, calls: 0, underWay: 0 };
  const providers = IDS.map((id): Provider => {
    const queue = scripts.filter((each) => each.id === id);
    /** Plays the next script. @param listed the list price of a success, or of all that is asked for. */
    function play(
      { signal, apiKey }: CallContext,
      listed: (own?: Script) => bigint,
    ): Promise<{ own: Script; cost: OutcomeCost }> {
      const own = queue.shift() ?? { id, afterMs: 1, bills: 3n, end: 'reports', failed: 0 };
      spend.underWay += 1;
      spend.calls += 1;
      return new Promise((resolve, reject) => {
        let isOver = false;
        const finish = (bill: bigint, settle: () => void) => {
          if (isOver) return;
          isOver = true;
          spend[apiKey === undefined ? 'billed' : 'tenant'] += bill;
          spend.underWay -= 1;
          settle();
        };
        clock.schedule(own.afterMs, () => {
          const { end, bills } = own;
          if (end === 'reports') finish(bills, () => resolve({ own, cost: { reported: bills } }));
          else if (end === 'says nothing') finish(listed(own), () => resolve({ own, cost: {} }));
          else if (end === 'stays silent')
            finish(listed(), () => reject(new UpstreamError('upstream_timeout', { phase: 'body' })));
          else finish(bills, () => reject(new UpstreamError(end, { phase: 'body', cost: bills })));
        });
        signal.addEventListener('abort', () =>
          finish(own.bills, () => reject(new UpstreamError('upstream_timeout', { phase: 'body', cost: own.bills }))),
        );
      });
    }
    return {
      id,
      name: id,
      ownKeys: true,
      models: [rowOf(id, 'answer')],
      answer: {
        async answer(_call, context) {
          const { cost } = await play(context, () => 5_000_000n);
          return { text: 'Yes.', citations: [], cost };
        },
      },
      search: {
        models: [rowOf(id, 'find')],
        async search({ maxResults }, context) {
          const isEmpty = (own?: Script) => own?.failed === 3;
          const more = BigInt(Math.max(0, maxResults - 10)) * 1_000_000n;
          const { own, cost } = await play(context, (each) => 4_000_000n + (isEmpty(each) ? 0n : more));
          return { results: isEmpty(own) ? [] : [{ url: 'https://example.org/' }], cost };
        },
      },
      extract: {
        models: [rowOf(id, 'read')],
        maxUrls: maxUnits,
        async extract({ urls }, context) {
          const read = (own?: Script) => urls.slice(own?.failed ?? 0);
          const { own, cost } = await play(context, (each) => BigInt(read(each).length) * 1_000_000n);
          return { pages: read(own).map((url) => ({ url, content: 'Yes.' })), cost };
        },
      },
      rerank: {
        models: [rowOf(id, 'sort')],
        async rerank({ documents }, context) {
          const { cost } = await play(context, () => BigInt(Math.ceil(documents.length / 100)) * 1_000_000n);
          return { ranks: documents.map((_text, index) => ({ index, score: 1 })), cost };
        },
      },
      embed: {
        models: [rowOf(id, 'turn')],
        maxInputs: maxUnits,
        async embed({ inputs }, context) {
          const { cost } = await play(context, () => BigInt(inputs.length) * 1_000_000n);
          return { embeddings: inputs.map((_text, index) => ({ index, vector: [1] })), cost };
        },
      },
    };
  });
  return { providers, spend };
}

type MadeCall = Pick<Call, 'kind' | 'id' | 'units'> & Partial<Pick<Call, 'keys'>>;

/** Makes a call. */
function make(gateway: Gateway, { kind, id, units, keys }: MadeCall, signal?: AbortSignal) {
  const common = { apiKey: KEY, model: `${id}/${kind}`, signal, routing: keys && { keys } };
  if (kind === 'answer') return gateway.answer({ ...common, query: 'When?' });
  if (kind === 'find') return gateway.search({ ...common, query: 'When?', maxResults: units });
  if (kind === 'sort') return gateway.rerank({ ...common, query: 'When?', documents: textsOf(50 * units) });
  // Three bytes are a token, of those that are held and of those that are charged.
  if (kind === 'turn') return gateway.embed({ ...common, input: textsOf(units) });
  return gateway.extract({ ...common, urls: textsOf(units).map((text) => `https://example.org/${text}`) });
}

function textsOf(length: number): string[] {
  return Array.from({ length }, (_, at) => `${at}`.padStart(3, '0'));
}

/** An engine of ledgers. */
export interface Engine {
  readonly name: string;
  /** How many histories are played. */
  readonly runs: number;
  /** Whether the ledger decides in the order in which it is called. Default `false`. */
  readonly isOrdered?: boolean;
  /** Opens an empty ledger, by a clock that only the test moves. */
  open(clock: FakeClock): Promise<{ readonly ledger: Ledger; dispose(): Promise<void> }>;
}

/** Bounds of the key in which there is room for a few calls. */
const FEW: Bounds = {
  keys: [{ id: 'key', organizationId: 'acme', limit: null, budgets: ['ever', 'watch', 'day', 'counted'] }],
  budgets: [
    { organizationId: 'acme', id: 'ever', limit: '0.09' },
    { organizationId: 'acme', id: 'day', limit: '0.05', limitReset: 'daily' },
    { organizationId: 'acme', id: 'watch', limit: '0.001', mode: 'warn' },
    { organizationId: 'acme', id: 'counted', limit: '1000', limitReset: 'weekly' },
  ],
  credits: { acme: 200_000_000n },
};

const ROOMY = '1000';
/** Bounds of the key of which one has room for ten calls of five thousandths, and all others for any number. */
function tenOf(bound: string): Bounds {
  const [key] = FEW.keys;
  return {
    keys: [{ ...key!, limit: bound === 'key_limit' ? '0.05' : ROOMY }],
    budgets: FEW.budgets.map((each) => ({ ...each, limit: bound === each.id ? '0.05' : ROOMY })),
    credits: { acme: bound === 'credits' ? 50_000_000n : 10n ** 12n },
  };
}

interface Played {
  readonly providers: readonly Provider[];
  readonly ledger: Ledger;
  readonly clock: FakeClock;
  readonly bounds: Bounds;
  readonly own?: OwnKeys;
}

const NO_KEYS: OwnKeys = { one: 'none', two: 'none', fee: 'none', sharedKeys: false };

/** A vault that knows the keys, and fails for some. */
function byokOf({ fee, sharedKeys, ...owners }: OwnKeys) {
  async function find(_organizationId: string, provider: string) {
    const state = owners[provider as keyof typeof owners];
    if (state === 'fails') throw new Error('no vault');
    return Promise.resolve(state === 'has' ? { apiKey: `own-${provider}` } : null);
  }
  return { keys: { find }, fee: FEES[fee], sharedKeys };
}

function gatewayOf({ providers, ledger, clock, bounds: { keys, budgets }, own = NO_KEYS }: Played): Gateway {
  const hedge = { afterMs: 3_000, maxExtraCost: '1' };
  return createGateway({
    providers,
    ledger,
    byok: byokOf(own),
    apiKeys: memoryApiKeys(
      keys.map((key) => ({ ...key, apiKey: KEY, label: 'demo' })),
      { budgets },
    ),
    fallbacks: Object.fromEntries(REPLACEABLE.map((kind) => [`one/${kind}`, [`two/${kind}`]])),
    fallbackOn: ['error', 'empty'],
    hedging: {
      maxShare: 1,
      ...Object.fromEntries(REPLACEABLE.map((kind) => [`one/${kind}`, { ...hedge, with: `two/${kind}` }])),
    },
    expireHoldsEveryMs: 0,
    clock,
    logger: { warn: () => undefined, error: () => undefined },
  });
}

/** The ledger, and time that stands still while the ledger works: else a server would always answer too late. */
export function watched(ledger: Ledger, clock: FakeClock) {
  let underWay = 0;
  const counted = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const verb: unknown = Reflect.get(target, name);
        if (name === 'idempotency' && typeof verb === 'object' && verb !== null) return counted(verb);
        if (typeof verb !== 'function') return verb;
        return (...values: unknown[]) => {
          const result: unknown = verb.apply(target, values);
          if (!(result instanceof Promise)) return result;
          underWay += 1;
          return result.finally(() => (underWay -= 1));
        };
      },
    });
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.advance(Math.min(left, STEP_MS));
      while (underWay > 0) await new Promise(setImmediate);
    }
  }
  /** Lets time pass until the work is done. */
  async function until<T>(work: Promise<T>): Promise<T> {
    const ended = new Set<unknown>();
    const end = () => ended.add(work);
    work.then(end, end);
    while (ended.size === 0) await pass(STEP_MS);
    return work;
  }
  return { ledger: counted(ledger), pass, until };
}

const STEP_MS = 500;

/** Fails unless balance and usage are the sums of the log. @returns the sums. */
async function sumsOf(ledger: Ledger) {
  const shared = FEW.budgets.map(({ id }) => ({ id, limitReset: null }));
  const read = async () => {
    const organization = await ledger.organizationTotals('acme');
    return [organization, await ledger.keyTotals('key'), await ledger.budgetTotals('acme', shared)] as const;
  };
  let [organization, key, budgets] = await read();
  for (let attempt = 0; ; attempt += 1) {
    const { entries } = await ledger.entries({ organizationId: 'acme', limit: 1_000 });
    const before = organization;
    [organization, key, budgets] = await read();
    // A call was settled in between: the three are not of one moment.
    const used = [before, key, ...budgets].map(({ usage }) => usage);
    const isOneMoment = used.every((usage) => usage === organization.usage);
    if (!isOneMoment && attempt < 100) continue;
    const sum = (kind: string) =>
      entries.reduce((total, entry) => (entry.kind === kind ? total + entry.amount : total), 0n);
    const [charges, losses, grants] = [sum('charge'), sum('loss'), sum('grant')];
    expect({ ...organization, key: key.usage }).toMatchObject({ credits: grants, usage: charges, key: charges });
    expect(budgets.map(({ usage }) => usage)).toEqual(shared.map(() => charges));
    return { charges, losses, held: organization.held, entries };
  }
}

/**
 * Fails unless each charge is what the operator owes and the fees for the organization's own keys. A call pays for three replies at most.
 *
 * @returns what the vendors bill for what was charged, to the operator and to the organization.
 */
function checkFees(
  entries: readonly LedgerEntry[],
  { fee }: OwnKeys,
): { readonly owed: bigint; readonly tenant: bigint } {
  let [owed, tenant] = [0n, 0n];
  for (const entry of entries) {
    if (entry.kind !== 'charge') continue;
    const { amount, upstreamCost = 0n, tenantCost } = entry;
    owed += upstreamCost;
    tenant += tenantCost ?? 0n;
    const fees = amount - upstreamCost;
    const least = { share: ((tenantCost ?? 0n) * 5n + 99n) / 100n, request: 500_000n, none: 0n }[fee];
    const most = { share: least + 2n, request: 3n * least, none: 0n }[fee];
    const isRight = fees >= least && fees <= most && (fee !== 'request' || fees % least === 0n);
    expect([fees, tenantCost === undefined ? fees === 0n : isRight]).toEqual([fees, true]);
  }
  return { owed, tenant };
}

/** Plays random histories of calls of all kinds. */
export function testMixedMoney({ name, runs, open, isOrdered = false }: Engine): void {
  async function opened(clock: FakeClock, bounds: Bounds) {
    const { ledger, dispose } = await open(clock);
    const amount = bounds.credits['acme']!;
    await ledger.grant({ grantId: 'first', organizationId: 'acme', amount, note: '' });
    const { ledger: counted, ...time } = watched(ledger, clock);
    return { dispose, ...time, ...checkedHolds(counted, clock, bounds) };
  }

  describe(`the money of calls of all kinds over a ${name} ledger`, () => {
    it('adds up at every moment, and at the end the providers’ bills are charges plus losses', async () => {
      const seen = new Set<string>();
      const history = fc.record({
        scripts: fc.array(script, { maxLength: 40, size: 'max' }),
        calls: fc.array(call, { minLength: 1, maxLength: 12, size: 'max' }),
        maxUnits: fc.constantFrom(MAX_UNITS, 7),
        own: ownKeys,
      });
      const histories = fc.asyncProperty(history, async ({ scripts, calls, maxUnits, own }) => {
        const clock = createFakeClock();
        const { ledger, pass, until, dispose, mistakes, refusals } = await opened(clock, FEW);
        const { providers, spend } = playedProviders(clock, scripts, maxUnits);
        const gateway = gatewayOf({ providers, ledger, clock, bounds: FEW, own });
        const asked = new Set<string>();
        gateway.on((event) => {
          if (event.type === 'attempt_finished') {
            const attempted = `${event.requestId} ${event.model}`;
            if (event.byok) asked.add(attempted);
            else if (asked.has(attempted)) seen.add('shared after own');
            seen.add(`${event.outcome}${event.byok ? ' with an own key' : ''}`);
          }
          if (event.type === 'request_finished') seen.add(String(event.reason));
        });
        const ended: Promise<unknown>[] = [];
        for (const each of calls) {
          const caller = new AbortController();
          if (each.patienceMs !== undefined) clock.schedule(each.patienceMs, () => caller.abort());
          ended.push(make(gateway, each, caller.signal).catch(ofRequest));
          await pass(each.gapMs);
          expect((await sumsOf(ledger)).held).toBeGreaterThanOrEqual(0n);
        }
        await until(Promise.all(ended));
        await until(gateway.close());
        const { losses, held, entries } = await sumsOf(ledger);
        const { owed, tenant } = checkFees(entries, own);
        expect({ ...spend, held }).toMatchObject({ billed: owed + losses, underWay: 0, held: 0n });
        expect(tenant <= spend.tenant).toBe(true);
        expect(isOrdered ? mistakes : []).toEqual([]);
        for (const by of refusals) seen.add(by);
        await dispose();
      });
      await playUntilSeen(
        () => fc.assert(histories, { numRuns: runs }),
        () => WANTED.filter((each) => !seen.has(each)),
      );
    });

    it('lets exactly ten of 200 mixed calls at once through, where there is room for ten, whatever bounds them', async () => {
      const mixed = fc.array(fc.constantFrom(...KINDS), { minLength: 200, maxLength: 200 });
      // Each is held and charged at five thousandths of a dollar.
      const UNITS: Readonly<Record<Kind, number>> = { answer: 1, find: 11, read: 5, sort: 10, turn: 5 };
      await fc.assert(
        fc.asyncProperty(mixed, fc.constantFrom('credits', 'key_limit', 'ever', 'day'), async (kinds, bound) => {
          const clock = createFakeClock();
          const bounds = tenOf(bound);
          const { ledger, until, dispose } = await opened(clock, bounds);
          const silent = { afterMs: 1_000, bills: 0n, end: 'says nothing', failed: 0 } as const;
          const scripts = IDS.flatMap((id) => Array.from({ length: 200 }, (): Script => ({ id, ...silent })));
          const { providers, spend } = playedProviders(clock, scripts);
          const gateway = gatewayOf({ providers, ledger, clock, bounds });
          const made = kinds.map((kind) => reasonOf(make(gateway, { kind, id: 'two', units: UNITS[kind] })));
          const reasons = await until(Promise.all(made));
          expect(reasons.filter((reason) => reason === 'answered')).toHaveLength(10);
          const refusals = [
            'budget_in_flight',
            'organization_credits_exhausted',
            'key_limit_reached',
            'budget_exceeded',
          ];
          expect(reasons.filter((reason) => !['answered', ...refusals].includes(String(reason)))).toEqual([]);
          await until(gateway.close());
          const { charges, losses, held } = await sumsOf(ledger);
          expect({ charges, losses, held, calls: spend.calls }).toEqual({
            charges: 50_000_000n,
            losses: 0n,
            held: 0n,
            calls: 10,
          });
          await dispose();
        }),
        { numRuns: 8 },
      );
    });
  });
}

const WANTED =
  `answered, hedged, budget, answered with an own key, upstream_auth_failed with an own key, shared after own, provider_key_unavailable,
  provider_key_missing, shared_keys_not_allowed`.split(/,\s+/);

/** Calls may end with any expected error, but with no other. */
function ofRequest(error: unknown): void {
  if (!isRequestError(error)) throw error;
}

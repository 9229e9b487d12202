import { createFakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGateway, type Gateway, type GatewayOptions, isRequestError, memoryApiKeys } from '../src/index.js';
import type { HoldRequest, Ledger, LedgerEntry } from '../src/ledger/index.js';
import { type Bill, PARTS, playedVendors, script, TYPICAL, WAYS } from './composed-vendors.js';
import { type Engine, watched } from './mixed-money-suite.js';
import { playUntilSeen } from './play-until-seen.js';
import { KEY, reasonOf } from './scripted-gateway.js';

/** What is held for a part: the dearest model, and both of the group, whose empty replies are paid. */
const HELD: Readonly<Record<string, bigint>> = {
  'one/find': 6_000_000n,
  pair: 10_000_000n,
  alias: 6_000_000n,
  'page/read': 3_000_000n,
  'order/sort': 2_000_000n,
};

const call = fc.record({
  model: fc.constantFrom(...WAYS.map((way) => `ask/${way}`), 'plain/answer'),
  gapMs: fc.oneof(fc.constant(0), fc.nat(9_000)),
  patienceMs: fc.option(fc.nat(30_000), { nil: undefined }),
  keys: fc.constantFrom(undefined, undefined, undefined, 'own' as const, 'shared' as const),
  maxCost: fc.constantFrom(undefined, undefined, undefined, '0.02'),
  /** Of the call before. */
  repeats: fc.constantFrom(false, false, false, true),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

const FEES = { share: { share: '0.05' }, request: { request: '0.0005' }, none: '0' } as const;
const state = fc.constantFrom<'none' | 'has' | 'fails'>('none', 'none', 'has', 'fails');
const ownersOfKeys = fc.record({ one: state, two: state, page: state, ask: state, plain: state });
const history = fc.record({
  scripts: fc.array(script, { maxLength: 60, size: 'max' }),
  calls: fc.array(call, { minLength: 1, maxLength: 8, size: 'max' }),
  parts: fc.subarray(Object.keys(PARTS), { minLength: 1 }).map((names) => names.map((name) => PARTS[name]!)),
  owners: fc.option(ownersOfKeys, { nil: undefined }),
  fee: fc.constantFrom<keyof typeof FEES>('share', 'request', 'none'),
  sharedKeys: fc.boolean(),
  hasHedges: fc.boolean(),
  overrun: fc.constantFrom<'charge' | 'absorb'>('charge', 'absorb'),
  markup: fc.constantFrom('1', '1.25'),
  /** Equal questions are then one. */
  isReused: fc.constantFrom(false, false, true),
  limit: fc.constantFrom(undefined, 1, 2),
  closesAfter: fc.constantFrom(undefined, undefined, 1, 4),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

function gatewayOf(given: History, played: Pick<GatewayOptions, 'clock' | 'ledger' | 'providers' | 'logger'>): Gateway {
  const { owners, fee, sharedKeys, overrun, markup, isReused } = given;
  async function find(_organizationId: string, provider: string) {
    const owner = owners?.[provider as keyof typeof owners] ?? 'none';
    if (owner === 'fails') throw new Error('no vault');
    return Promise.resolve(owner === 'has' ? { apiKey: `own-key-at-${provider}` } : null);
  }
  const hedge = { afterMs: 3_000, maxExtraCost: '1' };
  const pairs = { 'ask/all': 'plain/answer', 'plain/answer': 'ask/turn', 'one/find': 'two/find' };
  const hedges = Object.entries(pairs).map(([slug, other]) => [slug, { ...hedge, with: other }]);
  return createGateway({
    ...played,
    overrun,
    markup,
    ...(owners && { byok: { keys: { find }, fee: FEES[fee], sharedKeys } }),
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]),
    aliases: { alias: 'two/find' },
    groups: { pair: { models: ['one/find', 'two/find'], fallbackOn: ['error', 'empty'] } },
    fallbacks: { 'ask/turn': ['plain/answer'], 'ask/on': ['ask/all'], 'one/find': ['two/find'] },
    ...(given.hasHedges && { hedging: { maxShare: 1, ...Object.fromEntries(hedges) } }),
    ...(isReused && { cache: { ttlMs: 10_000, price: '0.3' }, coalescing: { sharedPrice: '0.3' } }),
    drainTimeoutMs: given.closesAfter === undefined ? 200_000 : 2_000,
    expireHoldsEveryMs: 0,
  });
}

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, each) => total + each, 0n);
const divideUp = (amount: bigint, by: bigint) => (amount + by - 1n) / by;
const marked = (amount: bigint, { markup }: History) => (markup === '1' ? amount : divideUp(amount * 5n, 4n));

/** What the caller owes for a reply. */
function chargeOf({ amount, isOwn }: Bill, given: History): bigint {
  if (!isOwn) return marked(amount, given);
  return { share: divideUp(amount, 20n), request: 500_000n, none: 0n }[given.fee];
}

function byModel(all: readonly { readonly model?: string | undefined; readonly amount: bigint }[]) {
  const sums = new Map<unknown, bigint>();
  for (const { model, amount } of all) if (amount > 0n) sums.set(model, amount + (sums.get(model) ?? 0n));
  return sums;
}

const chargesOf = (entries: readonly LedgerEntry[]) => entries.filter((entry) => entry.kind === 'charge');
const lossesOf = (entries: readonly LedgerEntry[]) => entries.filter((entry) => entry.kind === 'loss');

interface Ended {
  readonly charges: ReturnType<typeof chargesOf>;
  readonly losses: ReturnType<typeof lossesOf>;
  readonly bills: readonly Bill[];
  readonly held: bigint;
}

/** Fails unless a call was charged what was delivered to it, and all else was booked as a loss of its model. @returns what happened. */
function checkCall({ charges, losses, bills, held }: Ended, given: History): string {
  const [charge, ...more] = charges;
  const own = bills.find(({ model, isAnswered }) => model === charge?.model && isAnswered);
  const paid = charge === undefined ? [] : bills.filter(({ name, isAnswered }) => name === own?.name && isAnswered);
  const owed = (some: readonly Bill[]) => some.filter(({ isOwn }) => !isOwn);
  const cost = sum(paid.map((each) => chargeOf(each, given)));
  const isAbsorbed = given.overrun === 'absorb' && cost > held;
  const lost = owed(bills.filter((bill) => !paid.includes(bill)));
  expect(more).toEqual([]);
  if (isAbsorbed) {
    const all = sum(owed(bills).map(({ amount }) => amount));
    expect([charge!.amount, charge!.upstreamCost! + sum(losses.map(({ amount }) => amount))]).toEqual([held, all]);
    return 'absorbed';
  }
  expect(byModel(losses)).toEqual(byModel(lost));
  if (charge === undefined) return lost.length > 0 ? 'lost' : 'nothing';
  const tenant = paid.filter(({ isOwn }) => isOwn).map(({ amount }) => amount);
  expect(charge).toMatchObject({ amount: cost, upstreamCost: sum(owed(paid).map(({ amount }) => amount)) });
  expect(charge.tenantCost).toBe(tenant.length === 0 ? undefined : sum(tenant));
  const what = charge.model === 'plain/answer' ? 'plain' : 'composed';
  return `${what}${tenant.length > 0 ? ' with own keys' : ''}${lost.length > 0 ? ' and losses' : ''}`;
}

/** Plays random histories of calls of composed models. */
export function testComposedMoney({ name, runs, open }: Engine): void {
  async function play(given: History, seen: Set<string>) {
    const clock = createFakeClock();
    const engine = await open(clock);
    const { ledger, pass, until } = watched(engine.ledger, clock);
    await ledger.grant({ grantId: 'first', organizationId: 'acme', amount: 10n ** 12n, note: '' });
    const holds = new Map<string, { readonly request: HoldRequest; readonly amount: bigint }>();
    const noting: Ledger = {
      ...ledger,
      async hold(request) {
        const result = await ledger.hold(request);
        if (result.status === 'held') holds.set(request.tag!, { request, amount: result.amount });
        return result;
      },
    };
    const { providers, bills, forget, isIdle } = playedVendors(clock, given);
    const bugs: unknown[] = [];
    const error = (about: unknown, message: string) => message.includes('adapter') && bugs.push(about);
    const logger = { warn: () => undefined, error };
    const gateway = gatewayOf(given, { clock, ledger: noting, providers, logger });
    gateway.on((event) => {
      if (event.type === 'attempt_finished') seen.add(`${event.model.split('/')[0]} ${event.outcome}`);
      if (event.type === 'request_finished') seen.add(String(event.reason));
    });
    const ended: Promise<unknown>[] = [];
    const ask = (each: Call, at: number, again = '') => {
      const caller = new AbortController();
      const { model, keys, maxCost, patienceMs } = each;
      if (patienceMs !== undefined) clock.schedule(patienceMs, () => caller.abort());
      const routing = { ...(keys && { keys }), ...(maxCost !== undefined && { maxCost }) };
      const query = given.isReused ? 'same' : `q${at}`;
      const asked = { apiKey: KEY, model, query, tag: `q${at}`, routing, signal: caller.signal };
      return gateway.answer({ ...asked, idempotencyKey: `key-of-call-${at}${again}` }).catch(ofRequest);
    };
    const leastHeld = sum(given.parts.map(({ model }) => marked(HELD[model]!, given))) + marked(TYPICAL, given);
    for (const [at, each] of given.calls.entries()) {
      if (at === given.closesAfter) ended.push(gateway.close());
      ended.push(ask(each, at));
      // With the same idempotency key, or as another call with the same question.
      if (each.repeats) ended.push(ask(each, at, given.isReused ? ' again' : ''));
      await pass(each.gapMs);
    }
    await until(Promise.all(ended));
    const probed = new Set<unknown>();
    if (given.closesAfter === undefined || given.closesAfter >= given.calls.length) {
      // After every pause and all that waits for a slot: slots and circuits are free again.
      await pass(60_000);
      forget();
      for (const reason of await until(Promise.all(probes(gateway).map(reasonOf)))) probed.add(reason);
    }
    for (const reason of ['answered', 'provider_key_unavailable']) probed.delete(reason);
    expect([...probed]).toEqual([]);
    await until(gateway.close());
    expect(gateway.status()).toMatchObject({ inFlight: 0, holdsInFlight: 0, settlesWaiting: 0 });
    const { entries } = await ledger.entries({ organizationId: 'acme', limit: 1_000 });
    const { held, usage } = await ledger.organizationTotals('acme');
    const [charges, losses] = [chargesOf(entries), lossesOf(entries)];
    expect([held, usage, isIdle(), bugs]).toEqual([0n, sum(charges.map(({ amount }) => amount)), true, []]);
    const owed = charges.map(({ upstreamCost = 0n }) => upstreamCost);
    expect(sum([...owed, ...losses.map(({ amount }) => amount)])).toBe(
      sum(bills.filter(({ isOwn }) => !isOwn).map(({ amount }) => amount)),
    );
    for (const { costSource } of charges) if (given.isReused) seen.add(String(costSource));
    for (const [at, { model, maxCost }] of given.calls.entries()) {
      const { request, amount = 0n } = holds.get(`q${at}`) ?? {};
      const isQuoted = request && model.startsWith('ask') && !given.owners && !given.isReused;
      const isWithin = maxCost === undefined ? !isQuoted || request.amount >= leastHeld : amount <= 20_000_000n;
      expect(isWithin).toBe(true);
      if (given.isReused) continue;
      const isOfCall = ({ tag }: { readonly tag?: string | undefined }) => tag === `q${at}`;
      const ofCall = { charges: charges.filter(isOfCall), losses: losses.filter(isOfCall), held: amount };
      seen.add(checkCall({ ...ofCall, bills: bills.filter((bill) => bill.name.split('.')[0] === `q${at}`) }, given));
    }
    await engine.dispose();
  }

  describe(`the money of composed models over a ${name} ledger`, () => {
    it('is the sum of what was delivered, and all else that vendors bill is lost by the model that cost it', async () => {
      const seen = new Set<string>();
      await playUntilSeen(
        () =>
          fc.assert(
            fc.asyncProperty(history, (given) => play(given, seen)),
            { numRuns: runs },
          ),
        // Few histories have not every case by chance: the engine with the most has to.
        () => (runs < 100 ? [] : WANTED.filter((each) => !seen.has(each))),
      );
    });
  });
}

/** A call at each vendor. */
function probes(gateway: Gateway): readonly Promise<unknown>[] {
  const [apiKey, query] = [KEY, 'z'];
  return [
    gateway.answer({ apiKey, query, model: 'plain/answer' }),
    gateway.search({ apiKey, query, model: 'one/find' }),
    gateway.search({ apiKey, query, model: 'two/find' }),
    gateway.extract({ apiKey, model: 'page/read', urls: ['https://example.org/z/'] }),
    gateway.rerank({ apiKey, query, model: 'order/sort', documents: ['a'] }),
  ];
}

const WANTED =
  `composed, composed and losses, composed with own keys, plain and losses, lost, absorbed, one hedged, ask hedged, ask answered,
  one upstream_timeout, ask upstream_timeout, cached, shared, max_cost_exceeded, shutting_down, client_closed_request`.split(
    /,\s+/,
  );

/** Calls may end with any expected error, but with no other. */
function ofRequest(error: unknown): void {
  if (!isRequestError(error) || error.reason === 'internal_error') throw error;
}

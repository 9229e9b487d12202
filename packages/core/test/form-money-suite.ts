import { createFakeClock, type FakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { limitWindowAt } from '../src/base/time/limit-window.js';
import { assembleGateway } from '../src/gateway.js';
import { type Ledger, memoryApiKeys } from '../src/index.js';
import type { LedgerEntry } from '../src/ledger/index.js';
import {
  type CallContext,
  type LiveAnswer,
  type ModelRow,
  type OutcomeCost,
  type Provider,
  type ProviderQuestion,
  UpstreamError,
} from '../src/provider-kit/index.js';
import { attemptIn, costIn, type FormCall, type FormReply, makeCall } from './form-calls.js';
import { type Engine, watched } from './mixed-money-suite.js';
import { endpointsOf, formsOf } from './money-forms.js';
import { type Bounds, boundsOf, checkedHolds, countsIn } from './money-oracle.js';
import { playUntilSeen } from './play-until-seen.js';

const MODELS = { search: 'house/search', extract: 'house/extract', answer: 'house/answer' };
const LIMITS = new Map([
  ['answer', 'max_output_tokens'],
  ['chat/completions', 'max_tokens'],
  ['responses', 'max_output_tokens'],
]);
/** Also with a limit of the answer, where a form has one. */
const FORMS = formsOf(MODELS).flatMap((form) => {
  const limit = LIMITS.get(form.path);
  if (limit === undefined) return [form];
  const fields = (query: string) => ({ ...form.fields(query), [limit]: 9 });
  return [form, { ...form, name: `${form.name}, limited`, asks: `${form.asks}, limited`, fields }];
});

/** The list price in nanodollars. No bill is higher, so what is held covers each charge. */
const LISTED = 5_000_000n;
const CREDITS = { acme: 60_000_000n, globex: 16_000_000n };
const KEYS = [
  { id: 'roomy', organizationId: 'acme', limit: null, budgets: ['watch', 'day', 'month'] },
  { id: 'tight', organizationId: 'acme', limit: '0.012', budgets: ['month', 'ever', 'day', 'watch'] },
  { id: 'poor', organizationId: 'globex', limit: null, budgets: ['ever'] },
  { id: 'free', organizationId: 'globex', limit: null, budgets: [] },
].map((key) => ({ ...key, label: 'demo', apiKey: `${key.id}-secret-of-twenty-characters` }));
const BUDGETS = [
  { organizationId: 'acme', id: 'day', limit: '0.036', limitReset: 'daily' },
  { organizationId: 'acme', id: 'month', limit: '0.043', limitReset: 'monthly' },
  { organizationId: 'acme', id: 'ever', limit: '0.011' },
  { organizationId: 'acme', id: 'watch', limit: '0.001', mode: 'warn' },
  { organizationId: 'globex', id: 'ever', limit: '0.009' },
] as const;
const BOUNDS: Bounds = { keys: KEYS, budgets: BUDGETS, credits: CREDITS };
/** The prices of what another call has paid for, in hundredths. */
const CACHED = 30n;
const SHARED = 70n;
/** Rounded up. */
const percent = (amount: bigint, hundredths: bigint) => (amount * hundredths + 99n) / 100n;

/**
 * How an attempt ends, if not in an answer. An invalid response ends behind a part of the text, and a timeout is silence. A cut answer is one where the caller has
 * set a limit.
 */
const FAILURES = [
  'upstream_invalid_response',
  'upstream_timeout',
  'upstream_error',
  'query_rejected',
  'upstream_auth_failed',
] as const;

/** An attempt at the provider. What it bills is reported, or else the list price. */
const script = fc.record({
  afterMs: fc.oneof(fc.nat(3_000), fc.nat(14_000)),
  bills: fc.option(fc.bigInt({ min: 1n, max: LISTED }), { freq: 5 }),
  end: fc.oneof(fc.constant('answers' as const), fc.constantFrom('answers', 'empty', 'cut', ...FAILURES)),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;

const step = fc.record({
  // Often at the same moment, so that calls overlap.
  gapMs: fc.oneof(fc.constant(0), fc.nat(9_000)),
  key: fc.constantFrom(...KEYS),
  form: fc.nat(11),
  query: fc.constantFrom('a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', ''),
  idempotencyKey: fc.constantFrom(undefined, 'first', 'second'),
  cache: fc.constantFrom(undefined, undefined, undefined, undefined, 'no-cache', 'no-store'),
  hangsUpAfterMs: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(8_000) }),
});

const history = fc.record({
  scripts: fc.array(script, { maxLength: 24, size: 'max' }),
  // Few of them, so that calls repeat each other.
  forms: fc.shuffledSubarray([...FORMS], { minLength: 1, maxLength: 4 }),
  steps: fc.array(step, { minLength: 1, maxLength: 16, size: 'max' }),
  markup: fc.constantFrom('1', '1.37'),
  reuses: fc.boolean(),
  // The organization acme has a key of its own.
  isOwn: fc.boolean(),
  // At noon, or a minute before the end of a day and a month.
  startMs: fc.constantFrom(Date.UTC(2026, 0, 15, 12), Date.UTC(2026, 0, 31, 23, 59)),
});
type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

function rowOf(slug: string, features: ModelRow['features']): ModelRow {
  const price = { kind: 'flat', request: '0.005', source: 'test', asOf: '2026-11-29', confidence: 'high' } as const;
  return { slug, name: slug, description: 'Played.', prices: [price], features, maxResults: 20, timeoutMs: 10_000 };
}

/** A provider that plays the scripts. It writes the number of its attempt into each reply, so that a caller can tell what was sold. */
function playedProvider(clock: FakeClock, scripts: readonly Script[]) {
  const queue = [...scripts];
  /** Of attempts that gave something, by number, with the key of the operator and with that of an organization; and of the operator's others. */
  const bills = { sold: new Map<number, bigint>(), own: new Map<number, bigint>(), lost: [] as bigint[] };
  let attempts = 0;
  /** @param sold which replies are a success besides whole ones. */
  function attempt({ signal, apiKey }: CallContext, sold: readonly Script['end'][], live?: LiveAnswer) {
    const { afterMs, bills: reported, end } = queue.shift() ?? { afterMs: 1, bills: null, end: 'answers' };
    const number = (attempts += 1);
    const text = `No. ${number}; `;
    return new Promise<{ text: string; isEmpty: boolean; isCut: boolean; cost: OutcomeCost }>((resolve, reject) => {
      let isOver = false;
      const finish = (how: typeof end) => {
        if (isOver || (how === 'upstream_timeout' && !signal.aborted)) return;
        isOver = true;
        const [isEmpty, isCut] = [how === 'empty', how === 'cut'];
        const isSold = how === 'answers' || sold.includes(how);
        const bill = reported ?? LISTED;
        // A vendor who says nothing bills nothing for a refusal, and for nothing. What a cut reply bills is always said.
        const isFree = how === 'upstream_auth_failed' || (isEmpty && reported === null);
        if (isSold) bills[apiKey === undefined ? 'sold' : 'own'].set(number, bill);
        else if (!isFree && apiKey === undefined) bills.lost.push(bill);
        const cost = reported === null && !isCut ? {} : { reported: bill };
        if (how === 'answers' || how === 'empty' || how === 'cut') resolve({ text, isEmpty, isCut, cost });
        else reject(new UpstreamError(how, { phase: 'body', cost: isFree ? 0n : bill }));
      };
      signal.addEventListener('abort', () => finish('upstream_timeout'));
      if (end === 'answers' || end === 'cut' || end === 'upstream_invalid_response')
        clock.schedule(afterMs >> 1, () => isOver || live?.text(text));
      clock.schedule(afterMs, () => finish(end));
    });
  }
  async function answer({ maxOutputTokens }: ProviderQuestion, context: CallContext, live?: LiveAnswer) {
    const sold = maxOutputTokens === undefined ? [] : (['cut'] as const);
    const { text, isEmpty, isCut, cost } = await attempt(context, sold, live);
    return { text: isEmpty ? '' : `${text}Open.`, citations: [], truncated: isCut, cost };
  }
  const provider: Provider = {
    id: 'house',
    name: 'House',
    ownKeys: true,
    models: [rowOf('house/answer', ['citations', 'streaming', 'max_output_tokens'])],
    answer: { answer, stream: answer },
    search: {
      models: [rowOf('house/search', ['content'])],
      async search(_call, context) {
        const { text: title, isEmpty, cost } = await attempt(context, ['empty', 'cut']);
        return { results: isEmpty ? [] : [{ url: 'https://example.org/', title }], cost };
      },
    },
    extract: {
      models: [rowOf('house/extract', [])],
      maxUrls: 20,
      async extract({ urls }, context) {
        const { text: content, isEmpty, cost } = await attempt(context, ['cut']);
        return { pages: urls.map((url) => (isEmpty ? { url, failed: 'page_empty' } : { url, content })), cost };
      },
    },
  };
  return { provider, bills };
}

const vaultOf = (isOwn: boolean) => ({
  find: async (organizationId: string) =>
    Promise.resolve(isOwn && organizationId === 'acme' ? { apiKey: 'own' } : undefined),
});
/** The fee in hundredths. */
const FEE = 5n;

/** A call, its reply, and its key. */
interface Seen extends FormCall, FormReply {
  readonly keyId: string;
}

/** Plays a history to its end. */
async function play({ scripts, forms, steps, markup, reuses, isOwn }: History, opened: Ledger, clock: FakeClock) {
  const { ledger: watchedLedger, pass, until } = watched(opened, clock);
  const { ledger, ...checked } = checkedHolds(watchedLedger, clock, BOUNDS);
  for (const [organizationId, amount] of Object.entries(CREDITS))
    await ledger.grant({ grantId: organizationId, organizationId, amount, note: '' });
  const { provider, bills } = playedProvider(clock, scripts);
  const logged: string[] = [];
  const gateway = assembleGateway(
    {
      providers: [provider],
      ledger,
      apiKeys: memoryApiKeys(KEYS, { budgets: BUDGETS }),
      endpoints: endpointsOf(MODELS),
      markup,
      byok: { keys: vaultOf(isOwn), fee: { share: '0.05' } },
      ...(reuses && { cache: { ttlMs: 60_000, price: '0.3' }, coalescing: { sharedPrice: '0.7' } }),
      providerFailureThreshold: 100,
      expireHoldsEveryMs: 0,
      clock,
      logger: { warn: () => undefined, error: (_fields, message) => void logged.push(message) },
    },
    // Whole milliseconds before each retry.
    { random: () => 0.5 },
  );
  const made: Promise<Seen>[] = [];
  for (const [index, { gapMs, key, form: at, ...more }] of steps.entries()) {
    await pass(gapMs);
    // Calls that repeat each other have one tag.
    const call = {
      ...more,
      form: forms[at % forms.length]!,
      apiKey: key.apiKey,
      tag: more.idempotencyKey ?? `call ${index}`,
    };
    made.push(makeCall(gateway, clock, call).then((reply) => ({ ...call, ...reply, keyId: key.id })));
  }
  const seen = await until(Promise.all(made));
  await until(gateway.close());
  expect(logged).toEqual([]);
  const { entries } = await ledger.entries({ limit: 1_000 });
  return { ...checked, ledger, seen, bills, entries, charges: entries.filter((entry) => entry.kind === 'charge') };
}

type Charge = LedgerEntry & { readonly kind: 'charge' };

const isReplay = ({ headers }: FormReply) => headers['idempotent-replayed'] === 'true';
const meaningOf = ({ form, query }: FormCall) => `${form.asks}: ${query}`;
/** With the name of its form. */
const bodyOf = ({ form, text }: Seen) => `${form.name}: ${text.replace(/"response_time":[\d.]+/, '')}`;

/** Checks a call, or calls that repeat each other, with what they were charged. */
function checkCalls(calls: readonly Seen[], charges: readonly Charge[], priceOf: (attempt: number) => bigint): void {
  const here = calls.filter(({ hasLeft }) => !hasLeft);
  const delivered = here.filter((call) => costIn(call.form, call) !== undefined);
  const first = delivered[0] ?? calls[0]!;
  const [charge] = charges;
  // Callers who have left may have been answered.
  const mayPay = delivered.length > 0 || here.length < calls.length;
  expect(charges.length).toBeLessThanOrEqual(mayPay ? 1 : 0);
  expect(charges.length).toBeGreaterThanOrEqual(Math.min(1, delivered.length));
  expect(delivered.filter((call) => !isReplay(call)).length).toBeLessThanOrEqual(1);
  expect(here.filter(({ query, status }) => query === '' && status !== 400)).toEqual([]);
  expect(calls.some(({ status }) => status === 422) && new Set(calls.map(meaningOf)).size === 1).toBe(false);
  const wholes = delivered.filter(({ form }) => !form.isStreamed);
  expect(new Set(wholes.map(bodyOf)).size).toBe(new Set(wholes.map(({ form }) => form)).size);
  const sold = [meaningOf(first), attemptIn(first), charge?.amount];
  const isOwn = charge?.tenantCost !== undefined;
  for (const { form, text } of delivered.filter((call) => call.form.cost.endsWith('usage.cost')))
    expect([form.name, text.includes('"byok":true')]).toEqual([form.name, isOwn]);
  for (const call of delivered) expect([meaningOf(call), attemptIn(call), costIn(call.form, call)]).toEqual(sold);
  for (const call of delivered.filter((each) => attemptIn(each) !== undefined && !isReplay(each))) {
    // One call pays for an attempt. Another that got the same owes the provider nothing.
    const reuse = call.headers['cache-status']?.includes('; hit') === true ? CACHED : SHARED;
    const share = (charge?.tenantCost ?? charge?.upstreamCost) === 0n ? reuse : 100n;
    expect(charge?.amount).toBe(percent(priceOf(attemptIn(call)!), share));
  }
}

const sum = (entries: readonly { readonly amount: bigint }[]) =>
  entries.reduce((total, { amount }) => total + amount, 0n);
const sorted = (amounts: Iterable<bigint>) => [...amounts].sort((a, b) => Number(a - b));

interface PricedCalls {
  readonly charges: readonly Charge[];
  readonly seen: readonly Seen[];
  priceFor(organizationId: string): bigint;
}

/** Checks that balances are the sums of the log, that none is passed in any window, and that refusals for money were due. */
async function checkTotals(ledger: Ledger, { charges, seen, priceFor }: PricedCalls) {
  for (const { id, organizationId } of KEYS) {
    const credits = CREDITS[organizationId as keyof typeof CREDITS];
    const spent = sum(charges.filter((charge) => charge.organizationId === organizationId));
    const usage = sum(charges.filter(({ keyId }) => keyId === id));
    expect(await ledger.organizationTotals(organizationId)).toMatchObject({ credits, usage: spent, held: 0n });
    expect(await ledger.keyTotals(id)).toMatchObject({ usage, held: 0n });
    const left = boundsOf(BOUNDS, id).flatMap((bound) => {
      const counted = charges.filter(({ keyId }) => countsIn(BOUNDS, keyId, bound, id));
      const { limit, limitReset } = bound;
      const startOf = ({ atMs }: Charge) => (limitReset === null ? 0 : limitWindowAt(limitReset, atMs).startsAtMs);
      const starts = new Set(counted.map(startOf));
      return [limit, ...[...starts].map((start) => limit - sum(counted.filter((each) => startOf(each) === start)))];
    });
    expect(left.filter((amount) => amount < 0n)).toEqual([]);
    const isRefused = seen.some(({ keyId, status }) => keyId === id && status === 402);
    expect(isRefused && left.every((amount) => amount >= priceFor(organizationId))).toBe(false);
  }
}

/** Checks that each charge counts in each budget of its key, and in no other. */
async function checkBudgets(ledger: Ledger, charges: readonly Charge[]) {
  for (const { keyId, budgets = [] } of charges)
    expect(budgets).toEqual(KEYS.find(({ id }) => id === keyId)!.budgets.toSorted());
  for (const { organizationId, id } of BUDGETS) {
    const counted = charges.filter((each) => each.organizationId === organizationId && each.budgets?.includes(id));
    const [totals] = await ledger.budgetTotals(organizationId, [{ id, limitReset: null }]);
    expect(totals).toMatchObject({ usage: sum(counted), held: 0n });
  }
}

const CUT = /"truncated":true|"finish_reason":"length"|"status":"incomplete"/;
const INTERESTING = [
  ...[402, 409, 422, 502, 504].map(String),
  ...'left replayed cut reported flat cached shared key_limit budget organization_credits'.split(' '),
  'own reported',
  'own flat',
  'own cached',
  'own shared',
];

/** Plays random histories of calls in all forms, and compares what callers saw, what the provider bills, and what the ledger says. */
export function testFormMoney({ name, runs, open, isOrdered = false }: Engine): void {
  it(`over a ${name} ledger, each delivered call of any form is charged once, as its reply says, and no other call`, async () => {
    const found = new Set<string>();
    const histories = fc.asyncProperty(history, async (given) => {
      const clock = createFakeClock(given.startMs);
      const { ledger: opened, dispose } = await open(clock);
      const { ledger, seen, bills, entries, charges, mistakes, refusals } = await play(given, opened, clock);
      expect(isOrdered ? mistakes : []).toEqual([]);
      const markup = given.markup === '1' ? 100n : 137n;
      const owed = charges.map(({ upstreamCost = -1n }) => upstreamCost);
      const tenant = charges.map(({ tenantCost = 0n }) => tenantCost);
      expect(sorted(tenant.filter((cost) => cost !== 0n))).toEqual(sorted(bills.own.values()));
      expect(sorted(owed.filter((cost) => cost !== 0n))).toEqual(sorted(bills.sold.values()));
      const losses = entries.filter(({ kind }) => kind === 'loss');
      expect(sorted(losses.map(({ amount }) => amount))).toEqual(sorted(bills.lost));
      const nameOf = ({ keyId, tag }: Seen | Charge) => `${keyId}: ${tag}`;
      for (const each of new Set([...seen, ...charges].map(nameOf)))
        checkCalls(
          seen.filter((call) => nameOf(call) === each),
          charges.filter((charge) => nameOf(charge) === each),
          (attempt) =>
            percent(bills.sold.get(attempt) ?? bills.own.get(attempt)!, bills.own.has(attempt) ? FEE : markup),
        );
      const priceFor = (id: string) => percent(LISTED, given.isOwn && id === 'acme' ? FEE : markup);
      await checkTotals(ledger, { charges, seen, priceFor });
      await checkBudgets(ledger, charges);
      await dispose();
      for (const { status, hasLeft } of seen) found.add(hasLeft ? 'left' : String(status));
      for (const call of seen) if (isReplay(call)) found.add('replayed');
      for (const { text } of seen) if (CUT.test(text)) found.add('cut');
      for (const { costSource, tenantCost } of charges)
        found.add(tenantCost === undefined ? costSource : `own ${costSource}`);
      for (const by of refusals) found.add(by);
    });
    const wanted = runs < 100 ? [] : INTERESTING;
    await playUntilSeen(
      () => fc.assert(histories, { numRuns: runs }),
      () => wanted.filter((each) => !found.has(each)),
    );
  });
}

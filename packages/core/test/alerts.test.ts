import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFakeClock, type FakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import {
  createGateway,
  eventToJson,
  type GatewayEvent,
  type GatewayOptions,
  type KeyIdentity,
  type Ledger,
  memoryLedger,
  parseUsd,
} from '../src/index.js';
import { OUTCOME, reasonOf, scripted } from './scripted-gateway.js';

/** The second day of a month, at noon. Each answer costs $0.005. */
const NOON = Date.UTC(2026, 10, 2, 12);
const DAY_MS = 86_400_000;
const CALLER: KeyIdentity = { id: 'key', organizationId: 'acme', limit: '1.00' };
const THRESHOLDS = { thresholds: ['0.8', '1'] };

type AlertEvent = Extract<GatewayEvent, { alertId: string }>;

/** A ledger with replaceable operations that counts its reads. */
function ledgerWith(clock: FakeClock, credits: string) {
  const ledger = memoryLedger({ credits: { acme: credits }, clock });
  const replaced: Partial<Ledger> = {};
  const reads: string[] = [];
  const watched: Ledger = {
    ...ledger,
    keyTotals: (...args) => (reads.push('key'), (replaced.keyTotals ?? ledger.keyTotals)(...args)),
    budgetTotals: (...args) => (reads.push('budgets'), (replaced.budgetTotals ?? ledger.budgetTotals)(...args)),
    organizationTotals: (id) => (
      reads.push('organization'), (replaced.organizationTotals ?? ledger.organizationTotals)(id)
    ),
  };
  return { ledger: watched, replaced, reads };
}

/** Gateways of several processes over one ledger. */
function start({
  count = 1,
  credits = '1000',
  startMs = NOON,
  listens = true,
  ...options
}: Partial<GatewayOptions> & { count?: number; credits?: string; startMs?: number; listens?: boolean } = {}) {
  const clock = createFakeClock(startMs);
  const { ledger, replaced, reads } = ledgerWith(clock, credits);
  const events: AlertEvent[] = [];
  const logged: string[] = [];
  const log = (_fields: unknown, message: string) => void logged.push(message);
  const gateways = Array.from({ length: count }, () =>
    createGateway({
      providers: [scripted('exa', [OUTCOME]).provider],
      authenticate: () => null,
      ledger,
      clock,
      alerts: THRESHOLDS,
      expireHoldsEveryMs: 0,
      logger: { warn: log, error: log },
      ...(listens && { onEvent: (event: GatewayEvent) => void ('alertId' in event && events.push(event)) }),
      ...options,
    }),
  );
  const [gateway] = gateways;
  if (gateway === undefined) throw new Error('no gateway');
  /** Asks the gateways in turn for answers that the ledger refuses. */
  async function spendInVain(calls: number, caller: KeyIdentity = CALLER): Promise<Set<unknown>> {
    const reasons = new Set<unknown>();
    for (let call = 0; call < calls; call += 1) {
      const { answer } = gateways[call % count] ?? gateway!;
      reasons.add(await reasonOf(answer({ apiKey: caller, model: 'exa/answer', query: `Question ${call}` })));
    }
    await clock.advance(2_000);
    return reasons;
  }
  /** The same where every question is answered. */
  const spend = async (calls: number, caller?: KeyIdentity) =>
    expect(await spendInVain(calls, caller)).toEqual(new Set(['answered']));
  const told = () =>
    events.map((event) => [event.type, 'threshold' in event && event.threshold].filter(Boolean).join(' '));
  return { clock, gateway, gateways, ledger, replaced, reads, events, logged, spend, spendInVain, told };
}

describe('budget_threshold', () => {
  it('is emitted once for a key and once for an organization by four gateways over one ledger', async () => {
    const { spend, events } = start({ count: 4, credits: '1.00' });
    await spend(159);
    expect(events).toEqual([]);
    await spend(40);
    const alert = { type: 'budget_threshold', organizationId: 'acme', threshold: '0.8', limit: 1_000_000_000n };
    expect(events).toHaveLength(2);
    expect(events).toContainEqual(expect.objectContaining({ ...alert, subject: 'key', keyId: 'key', budget: null }));
    expect(events).toContainEqual(expect.objectContaining({ ...alert, subject: 'organization', keyId: null }));
    await spend(1);
    expect(events).toHaveLength(4);
    expect(events.slice(2).map((event) => 'threshold' in event && event.threshold)).toEqual(['1', '1']);
  });

  it('is emitted once per window of a key, with the end of the window', async () => {
    const caller = { ...CALLER, limitReset: 'daily' } as const;
    const { spend, events, clock } = start({ count: 4 });
    await spend(160, caller);
    await spend(39, caller);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ subject: 'key', usage: 800_000_000n, windowEndsAtMs: NOON + DAY_MS / 2 });
    await clock.advance(DAY_MS);
    await spend(159, caller);
    expect(events).toHaveLength(1);
    await spend(1, caller);
    expect(events[1]).toMatchObject({ threshold: '0.8', windowEndsAtMs: NOON + 1.5 * DAY_MS });
    expect(events[1]?.alertId).not.toBe(events[0]?.alertId);
  });

  it('waits at the start of a window, when the ledger may still count in the last window', async () => {
    const caller = { ...CALLER, limitReset: 'daily' } as const;
    const { spend, events, clock, reads } = start({ startMs: NOON + DAY_MS / 2 });
    await spend(160, caller);
    expect([events.length, reads.includes('key')]).toEqual([0, false]);
    await clock.advance(3_000);
    expect(events).toHaveLength(1);
  });

  it('counts a changed limit or amount of credits as a new budget', async () => {
    const { spend, told, ledger } = start({ credits: '1.00', alerts: { thresholds: ['0.8'] } });
    await spend(160);
    expect(told()).toHaveLength(2);
    await ledger.grant({ grantId: 'more', organizationId: 'acme', amount: parseUsd('0.01'), note: '' });
    await spend(1, { ...CALLER, limit: '0.81' });
    expect(told()).toHaveLength(3);
    await spend(1, { ...CALLER, limit: '0.81' });
    expect(told()).toHaveLength(4);
  });

  it.each([
    ['', []],
    [', though another model is free', [scripted('two', [OUTCOME], { request: '0' }).provider]],
  ])('counts a rest smaller than the cheapest price as nothing%s', async (_more, others) => {
    // Each answer costs $0.005: after 199 of them, $0.004 are left.
    const providers = [scripted('exa', [OUTCOME]).provider, ...others];
    const { spend, told } = start({ credits: '1000', providers, alerts: { thresholds: ['0.999', '1', '1.1'] } });
    await spend(198, { ...CALLER, limit: '0.999' });
    expect(told()).toEqual([]);
    await spend(1, { ...CALLER, limit: '0.999' });
    expect(told()).toEqual(['budget_threshold 0.999', 'budget_threshold 1']);
  });

  it('is not emitted for keys without a limit, nor for budgets of zero', async () => {
    const { spend, events, reads } = start({ credits: '1000' });
    await spend(2, { ...CALLER, limit: null });
    expect([events, new Set(reads)]).toEqual([[], new Set(['organization'])]);
  });
});

describe('budget_exhausted', () => {
  const DAILY = { ...CALLER, limit: '0.012', limitReset: 'daily' } as const;

  it('is emitted once per window of a key, however many calls four gateways refuse', async () => {
    const { spend, spendInVain, events, clock } = start({ count: 4, alerts: undefined });
    await spend(2, DAILY);
    expect(events).toEqual([]);
    expect(await spendInVain(400, DAILY)).toEqual(new Set(['key_limit_reached']));
    const of = { subject: 'key', organizationId: 'acme', keyId: 'key', budget: null };
    const budget = { ...of, usage: 10_000_000n, limit: 12_000_000n };
    expect(events).toEqual([
      {
        type: 'budget_exhausted',
        alertId: expect.stringMatching(/^alert_[0-9a-f]{32}$/) as string,
        atMs: NOON + 2_000,
        ...budget,
        wanted: 5_000_000n,
        rest: 2_000_000n,
        windowEndsAtMs: NOON + DAY_MS / 2,
      },
    ]);
    await clock.advance(DAY_MS);
    await spend(2, DAILY);
    await spendInVain(4, DAILY);
    expect(events).toHaveLength(2);
    expect(events[1]).toMatchObject({ ...budget, windowEndsAtMs: NOON + 1.5 * DAY_MS });
  });

  it('is emitted once for an organization, whichever of its keys asks, and again after a grant', async () => {
    const { spendInVain, events, ledger } = start({ credits: '0.004', alerts: undefined });
    for (const id of ['key', 'another']) await spendInVain(2, { ...CALLER, id });
    const budget = { type: 'budget_exhausted', subject: 'organization', keyId: null, windowEndsAtMs: null };
    expect(events).toMatchObject([{ ...budget, limit: 4_000_000n, rest: 4_000_000n, wanted: 5_000_000n }]);
    await ledger.grant({ grantId: 'more', organizationId: 'acme', amount: parseUsd('0.0005'), note: '' });
    await spendInVain(2);
    expect(events.map((event) => 'limit' in event && event.limit)).toEqual([4_000_000n, 4_500_000n]);
  });

  it('is not emitted for a call that would be accepted without the calls in flight', async () => {
    const { spendInVain, events, ledger, clock } = start({ credits: '0.005', alerts: undefined });
    const hold = { holdId: 'h', organizationId: 'acme', keyId: 'key', keyLimit: null, model: 'exa/answer' };
    await ledger.hold({ ...hold, amount: 5_000_000n, expiresAtMs: clock.now() + DAY_MS });
    expect([await spendInVain(2), events]).toEqual([new Set(['budget_in_flight']), []]);
  });

  it('waits for nothing: a store that hangs delays no refusal', async () => {
    const idempotency = { claim: () => new Promise<never>(() => undefined), complete: never, free: never };
    const { gateway, events } = start({ credits: '0.004', alerts: undefined, idempotency });
    for (let call = 0; call < 3; call += 1)
      expect(await reasonOf(gateway.answer({ apiKey: CALLER, model: 'exa/answer', query: 'Q' }))).toBe(
        'organization_credits_exhausted',
      );
    expect(events).toEqual([]);
  });

  function never(): Promise<never> {
    return new Promise(() => undefined);
  }
});

describe('the alerts of a shared budget', () => {
  const TEAM = { id: 'team:research', limit: '1.00' };
  const ADA = { id: 'user:ada', limit: '0.01', limitReset: 'daily', mode: 'warn' } as const;
  const MEMBERS = ['ada', 'bob'].map((id): KeyIdentity => ({ id, organizationId: 'acme', budgets: [TEAM] }));
  const of = { organizationId: 'acme', subject: 'budget', keyId: null, budget: 'team:research', windowEndsAtMs: null };
  const ofAda = { ...of, budget: 'user:ada', limit: 10_000_000n, windowEndsAtMs: NOON + DAY_MS / 2 };

  it('tell once of each threshold that its keys reach together', async () => {
    const { spend, events } = start({ count: 4 });
    for (const member of MEMBERS) await spend(79, member);
    expect(events).toEqual([]);
    for (const member of MEMBERS) await spend(4, member);
    const reached = { type: 'budget_threshold', ...of, threshold: '0.8', limit: 1_000_000_000n };
    expect(events).toEqual([expect.objectContaining(reached)]);
  });

  it('tell once of refusals, by whichever of its keys', async () => {
    const { spend, spendInVain, events } = start({ count: 2, alerts: undefined });
    const poor = MEMBERS.map((member) => ({ ...member, budgets: [{ ...TEAM, limit: '0.012' }] }));
    await spend(2, poor[0]);
    for (const member of poor) expect(await spendInVain(4, member)).toEqual(new Set(['budget_exceeded']));
    const figures = { usage: 10_000_000n, limit: 12_000_000n, wanted: 5_000_000n, rest: 2_000_000n };
    expect(events).toEqual([expect.objectContaining({ type: 'budget_exhausted', ...of, ...figures })]);
  });

  it('tell of a budget that warns when it is used up, in each window, without an option', async () => {
    const caller = { ...CALLER, budgets: [ADA, { ...TEAM, limit: '0.005' }, { id: 'counts', limit: null }] };
    const warned = { ...caller, budgets: [ADA, { id: 'counts', limit: null }] };
    const { spend, events, clock, reads } = start({ alerts: undefined });
    await spend(1, caller);
    expect(events).toEqual([]);
    await spend(3, warned);
    expect(events).toMatchObject([{ type: 'budget_threshold', ...ofAda, threshold: '1' }]);
    await clock.advance(DAY_MS);
    await spend(2, warned);
    const tomorrow = { ...ofAda, windowEndsAtMs: NOON + 1.5 * DAY_MS, usage: 10_000_000n };
    expect(events.slice(1)).toMatchObject([{ ...tomorrow, threshold: '1' }]);
    expect(new Set(reads)).toEqual(new Set(['budgets']));
  });

  it('tell of the thresholds of a budget that warns, of each only when it is reached', async () => {
    // Less than the price of an answer is left, but none is refused.
    const caller = { ...CALLER, limit: null, budgets: [{ ...ADA, limit: '0.006' }] };
    const { spend, told } = start({ alerts: { thresholds: ['0.8', '2'] } });
    await spend(1, caller);
    expect(told()).toEqual(['budget_threshold 0.8']);
    await spend(1, caller);
    expect(told()).toEqual(['budget_threshold 0.8', 'budget_threshold 1']);
    await spend(1, caller);
    expect(told()).toEqual(['budget_threshold 0.8', 'budget_threshold 1', 'budget_threshold 2']);
  });

  it('read the budgets of callers once a second, however many callers and budgets', async () => {
    const { spend, reads } = start({ credits: '1000' });
    const budgets = [TEAM, ADA];
    for (const { id } of MEMBERS) await spend(50, { id, organizationId: 'acme', operatorPays: true, budgets });
    expect(reads).toEqual(['budgets', 'budgets', 'budgets', 'budgets']);
  });

  it('keep the longest ids apart', async () => {
    const budgets = ['a', 'b'].map((end) => ({ id: 'x'.repeat(127) + end, limit: '0.005' }));
    const caller = { ...CALLER, id: 'y'.repeat(128), organizationId: 'z'.repeat(128), operatorPays: true, limit: null };
    const { spend, events, logged } = start({ alerts: { thresholds: ['1'] } });
    await spend(1, { ...caller, budgets });
    expect(events.map((event) => 'budget' in event && event.budget)).toEqual(budgets.map(({ id }) => id));
    expect(new Set(events.map(({ alertId }) => alertId)).size).toBe(2);
    expect(logged).toEqual([]);
  });

  it('wait at the start of a window, when the ledger may still count in the last window', async () => {
    const caller = { ...CALLER, limit: null, budgets: [{ ...ADA, limit: '0.005' }] };
    const { spend, events, clock, reads } = start({ startMs: NOON + DAY_MS / 2, alerts: undefined });
    await spend(1, caller);
    expect([events, reads]).toEqual([[], []]);
    await clock.advance(3_000);
    expect(events).toHaveLength(1);
  });
});

describe('credits_low', () => {
  it('is emitted once for each amount of credits', async () => {
    const { spend, events, ledger } = start({ count: 4, credits: '1.00', alerts: { creditsLow: '0.50' } });
    await spend(100);
    expect(events).toEqual([]);
    await spend(20);
    expect(events).toEqual([
      {
        type: 'credits_low',
        alertId: expect.stringMatching(/^alert_[0-9a-f]{32}$/),
        atMs: NOON + 2_000,
        organizationId: 'acme',
        balance: 495_000_000n,
        below: 500_000_000n,
      },
    ]);
    await ledger.grant({ grantId: 'more', organizationId: 'acme', amount: parseUsd('0.01'), note: '' });
    await spend(1);
    expect(events).toHaveLength(2);
    expect(JSON.parse(eventToJson(events[1] as GatewayEvent))).toMatchObject({ balance: '405000000' });
  });
});

it('is not emitted for an organization whose operator pays: it has no budget', async () => {
  const { spend, events, reads } = start({ credits: '0', alerts: { creditsLow: '0.50' } });
  await spend(2, { ...CALLER, limit: null, operatorPays: true });
  expect([events, reads]).toEqual([[], []]);
});

describe('checks', () => {
  it('read the ledger at most once a second, and never miss the last charge', async () => {
    const { spend, reads, events } = start({ credits: '0.50', alerts: { thresholds: ['1'] } });
    await spend(99, { ...CALLER, limit: null });
    expect(reads).toEqual(['organization', 'organization']);
    await spend(1, { ...CALLER, limit: null });
    expect(events).toHaveLength(1);
  });

  it('never keep an answer waiting, nor close() longer than its limits', async () => {
    const { gateway, replaced, clock } = start({ ledgerTimeoutMs: 300 });
    replaced.organizationTotals = () => new Promise(() => undefined);
    replaced.keyTotals = () => new Promise(() => undefined);
    expect(await reasonOf(gateway.answer({ apiKey: CALLER, model: 'exa/answer', query: 'Q' }))).toBe('answered');
    const state = { isClosed: false };
    const closing = gateway.close().then(() => (state.isClosed = true));
    await clock.advance(299);
    expect(state.isClosed).toBe(false);
    await clock.advance(1);
    await closing;
  });

  it('are made of the last charges when the gateway is closed', async () => {
    const { gateway, events, logged } = start({ credits: '0.005' });
    await gateway.answer({ apiKey: { ...CALLER, limit: null }, model: 'exa/answer', query: 'Q' });
    await gateway.close();
    expect([events.length, logged]).toEqual([2, []]);
  });

  it('that fail are logged, and made again at the next charge', async () => {
    const { spend, replaced, events, logged } = start({ credits: '0.02' });
    const down = () => Promise.reject(new Error('down'));
    replaced.organizationTotals = down;
    replaced.keyTotals = down;
    await spend(3);
    expect(new Set(logged)).toEqual(new Set(['a budget could not be checked: the next call tries again']));
    delete replaced.organizationTotals;
    delete replaced.keyTotals;
    expect(events).toEqual([]);
    await spend(1);
    expect(events.map(({ type }) => type)).toEqual(['budget_threshold', 'budget_threshold']);
  });

  it.each([
    ['without the option', { alerts: undefined }],
    ['without a listener', { listens: false }],
  ])('are not made %s', async (_when, options) => {
    const { spend, reads } = start(options);
    await spend(3);
    expect(reads).toEqual([]);
  });

  it('are emitted again by another process if a process ends before it delivers', async () => {
    const heard: GatewayEvent[] = [];
    /** Never ends for the first alert. */
    const onEvent = (event: GatewayEvent) => {
      if (!('alertId' in event)) return undefined;
      return heard.push(event) === 1 ? new Promise<void>(() => undefined) : undefined;
    };
    const options = { count: 2, credits: '0.005', alerts: { thresholds: ['1'] }, onEvent };
    const { gateway, gateways, ledger, clock } = start(options);
    await gateway.answer({ apiKey: { ...CALLER, limit: null }, model: 'exa/answer', query: 'Q' });
    await nextTurn();
    expect(heard).toHaveLength(1);
    // So that the other process can also charge, at the same amount of credits.
    await ledger.adjust({ adjustmentId: 'a', organizationId: 'acme', amount: -5_000_000n, note: '' });
    await gateways[1]?.answer({ apiKey: { ...CALLER, limit: null }, model: 'exa/answer', query: 'Q' });
    const closing = gateway.close();
    await clock.advance(5_000);
    await closing;
    expect(heard).toHaveLength(1);
    await clock.advance(45_000);
    expect(heard).toHaveLength(2);
    expect((heard[1] as AlertEvent).alertId).toBe((heard[0] as AlertEvent).alertId);
  });
});

it('refuses callers with ids that claims of alerts use', async () => {
  const { gateway } = start();
  const caller = { ...CALLER, id: 'searchgate:alerts' };
  expect(await reasonOf(gateway.answer({ apiKey: caller, model: 'exa/answer', query: 'Q' }))).not.toBe('answered');
});

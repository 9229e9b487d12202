import { inspect } from 'node:util';
import { memoryApiKeys, memoryLedger } from '@searchgate/core';
import { createAdministration } from '@searchgate/core/administration';
import type { HoldBudget } from '@searchgate/core/ledger';
import { announceReady, serve } from '../processes/serve.js';
import { figure, figureAt } from '../statistics.js';
import { type AnyLedger, openLedger } from './open-ledger.js';

export interface PairLoad {
  /** Number of organizations, each with one key, that the pairs use in turn. */
  readonly organizations: number;
  /** Number of keys of each organization, used in turn. Default: 1. */
  readonly keys?: number;
  /** Number of budgets that every pair counts in, up to 3: the keys of an organization share them. Default: 0. */
  readonly budgets?: number;
  /** Number of parallel loops in one process; each waits for a call before the next. */
  readonly callers: number;
  readonly durationMs: number;
}

type Subjects = 'organizations' | 'keys' | 'budgets';

const ORGANIZATIONS = 1_000;
/** Amount held and charged by each pair, in nanodollars. */
const COST = 5_000_000n;
const CREDITS = COST * 1_000_000_000n;
const FAR_AHEAD_MS = 3_600_000;
const TIMED = 20;
const BUDGETS: readonly HoldBudget[] = [
  { id: 'team', limit: CREDITS, limitReset: 'monthly', isKept: true },
  { id: 'project', limit: CREDITS, limitReset: null, isKept: true },
  { id: 'user', limit: CREDITS, limitReset: 'daily', isKept: true },
];

/** The first budgets, by their number. */
const CHOICES = [undefined, ...BUDGETS.map((_, index) => BUDGETS.slice(0, index + 1))];

let ledger: AnyLedger = memoryLedger();
let done = 0;
let processNumber = 0;

/** Holds and settles as the gateway does: an id per call, a key with a limit, an expiry. */
async function pair(index: number, { organizations, keys = 1, budgets = 0 }: Pick<PairLoad, Subjects>): Promise<void> {
  const [holdId, organizationId] = [
    `ans_${processNumber}${index.toString().padStart(25, '0')}`,
    `organization-${index % organizations}`,
  ];
  const key = Math.floor(index / organizations) % keys;
  const keyId = `key-of-${organizationId}${key === 0 ? '' : `-${key}`}`;
  const owner = { organizationId, keyId, keyLimit: CREDITS, budgets: CHOICES[budgets] };
  const model = 'exa/answer';
  const held = await ledger.hold({ holdId, ...owner, amount: COST, expiresAtMs: Date.now() + FAR_AHEAD_MS, model });
  if (held.status !== 'held') throw new Error('the ledger refused a hold it has room for');
  await ledger.settle(holdId, { cost: COST, model, provider: 'exa', costSource: 'reported' });
}

async function inLoops(callers: number, loop: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: callers }, loop));
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const measuredMs: number[] = [];
  for (let turn = 0; turn < TIMED; turn += 1) {
    const startedMs = performance.now();
    await work();
    measuredMs.push(performance.now() - startedMs);
  }
  return figure(measuredMs).median;
}

const ledgerProcess = {
  /** Opens a ledger that this run has made, and gives every organization its credits. @param own number of this process among those of the ledger. */
  async open(target: string, own = 0) {
    ledger = await openLedger(target);
    done = 0;
    processNumber = own;
    await ledger.migrate?.();
    const names = Array.from({ length: ORGANIZATIONS }, (_, index) => `organization-${index}`);
    const grant = { amount: CREDITS, note: 'benchmark' };
    await Promise.all(names.map((name) => ledger.grant({ grantId: name, organizationId: name, ...grant })));
  },
  /** Runs `callers` loops of consecutive pairs for the given time. */
  async pairs({ callers, durationMs, ...subjects }: PairLoad) {
    const latenciesMs: number[] = [];
    const startedMs = performance.now();
    await inLoops(callers, async () => {
      for (let beganMs = performance.now(); beganMs < startedMs + durationMs; ) {
        await pair(done++, subjects);
        const endedMs = performance.now();
        latenciesMs.push(endedMs - beganMs);
        beganMs = endedMs;
      }
    });
    const sorted = Float64Array.from(latenciesMs).sort();
    const perSecond = (sorted.length * 1_000) / (performance.now() - startedMs);
    return { perSecond, p50Ms: figureAt(sorted, 0.5), p99Ms: figureAt(sorted, 0.99) };
  },
  /** Grows the ledger to a number of pairs, then times single operations. */
  async growth(pairs: number): Promise<Record<string, number>> {
    await inLoops(256, async () => {
      while (done < pairs) await pair(done++, { organizations: ORGANIZATIONS });
    });
    const { statement } = createAdministration({ ledger, apiKeys: memoryApiKeys() });
    return {
      pair: await medianMs(() => pair(done++, { organizations: ORGANIZATIONS })),
      'page of 100': await medianMs(() => ledger.entries({ limit: 100 })),
      'page of a key': await medianMs(() => ledger.entries({ limit: 100, keyId: 'key-of-organization-7' })),
      'statement by model': await medianMs(() => statement({ by: 'model' })),
      'statement by key': await medianMs(() => statement({ by: 'key' })),
    };
  },
  /** @returns all charges of an organization, in nanodollars. */
  async charged(organizationId: string): Promise<bigint> {
    return (await ledger.organizationTotals(organizationId)).usage;
  },
  /** @returns how many pairs this process has made. */
  async made(): Promise<number> {
    return done;
  },
  /** @throws Error unless the ledger contains exactly the acknowledged pairs of all processes. */
  async verify(made = done) {
    const names = Array.from({ length: ORGANIZATIONS }, (_, index) => `organization-${index}`);
    const totals = await Promise.all(names.map((name) => ledger.organizationTotals(name)));
    const charged = totals.reduce((sum, { usage }) => sum + usage, 0n) / COST;
    if (charged !== BigInt(made)) throw new Error(`${made} pairs were acknowledged, ${charged} charged`);
    const report = await ledger.audit?.();
    if (report !== undefined && (report.differences.length > 0 || report.openHolds > 0))
      throw new Error(`the audit found ${inspect(report)}`);
  },
};

export type LedgerProcess = typeof ledgerProcess;
serve(ledgerProcess);
announceReady();

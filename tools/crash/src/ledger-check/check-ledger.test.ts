import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseUsd } from '@searchgate/core';
import type { DurableLedger } from '@searchgate/core/ledger';
import { afterAll, describe, expect, it } from 'vitest';
import { type Accounts, openAccount, type TestBudget, type TestKey } from '../accounts.js';
import type { AcknowledgedAnswer } from '../ask.js';
import { type OpenLedger, openLedger } from '../open-ledger.js';

import { FLAT, METERED, PRICE_NANOS } from '../upstream-dialects.js';
import { checkLedger } from './check-ledger.js';
import type { Evidence } from './evidence.js';
import { FAULTS, holdIdOf } from './faulty-ledgers.js';

const CALLS = 300;
const PRICE = BigInt(PRICE_NANOS);
const PLENTY = parseUsd('1000');
const BUDGETS: readonly TestBudget[] = [
  { id: 'project', limit: PLENTY, limitReset: null },
  { id: 'team', limit: 100n * PRICE, limitReset: 'daily' },
];

describe('checkLedger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-ledger-'));
  let files = 0;
  let open: OpenLedger;
  afterAll(() => rmSync(folder, { recursive: true }));

  async function onEmptyLedger(breaks: (sound: DurableLedger) => Partial<DurableLedger>) {
    open = await openLedger(`sqlite:${join(folder, `${++files}.db`)}`);
    await open.ledger.migrate();
    // The check too reads through the faulty ledger.
    const ledger = { ...open.ledger, ...breaks(open.ledger) };
    const { problems } = await checkLedger(ledger, await trade(ledger));
    await open.close();
    return problems;
  }

  it('finds no problem in a sound ledger', async () => {
    expect(await onEmptyLedger(() => ({}))).toEqual({});
  });

  it.each(FAULTS)('catches a ledger that $fault', async ({ breaks, caughtBy }) => {
    expect(Object.keys(await onEmptyLedger(breaks))).toContain(caughtBy);
  });

  it('catches a charge without a question', async () => {
    open = await openLedger(`sqlite:${join(folder, `${++files}.db`)}`);
    await open.ledger.migrate();
    const evidence = await trade(open.ledger);
    const unasked = { ...evidence, acknowledged: [], upstreamCalls: evidence.upstreamCalls.slice(1) };
    const { problems } = await checkLedger(open.ledger, unasked);
    await open.close();
    expect(Object.keys(problems)).toEqual(['everyChargeWasServed']);
  });

  it('catches an idempotency key with two answers', async () => {
    open = await openLedger(`sqlite:${join(folder, `${++files}.db`)}`);
    await open.ledger.migrate();
    const evidence = await trade(open.ledger);
    const acknowledged = evidence.acknowledged.map((answer) => ({
      ...answer,
      call: { ...answer.call, idempotencyKey: 'the same' },
    }));
    const { problems } = await checkLedger(open.ledger, { ...evidence, acknowledged });
    await open.close();
    expect(Object.keys(problems)).toEqual(['everyIdempotencyKeyHasOneAnswer']);
  });
});

/** The operations of gateways on a ledger, in one process and without HTTP: 300 calls of two keys that run out of money: the limit of a key, and a budget. */
async function trade(ledger: DurableLedger): Promise<Evidence> {
  const startedAtMs = Date.now();
  const accounts: Accounts = {
    organizations: ['budgets', 'limited'].map((id) => ({ id, credits: PLENTY })),
    keys: [
      await openAccount(ledger, { id: 'budgets', credits: PLENTY, budgets: BUDGETS }),
      await openAccount(ledger, { id: 'limited', credits: PLENTY, limit: 100n * PRICE, limitReset: 'daily' }),
    ],
  };
  // In parallel, so that the ledger batches them.
  const outcomes = await Promise.all(
    Array.from({ length: CALLS }, (_, index) => serve(ledger, accounts.keys[index % 2] as TestKey, index)),
  );
  const served = outcomes.filter((outcome) => outcome !== undefined);
  const [acknowledged, upstreamCalls] = [served.map(({ answer }) => answer), served.map(({ upstream }) => upstream)];
  return { ...accounts, acknowledged, upstreamCalls, startedAtMs };
}

async function serve(ledger: DurableLedger, key: TestKey, index: number) {
  const { id: keyId, organizationId, limit: keyLimit, limitReset: keyLimitReset } = key;
  const holdId = holdIdOf({ organizationId, keyId }, index);
  const model = organizationId === 'budgets' ? METERED : FLAT;
  const budgets = key.budgets.flat().map((budget) => ({ ...budget, isKept: true }));
  const owner = { organizationId, keyId, keyLimit, keyLimitReset, budgets };
  const hold = { holdId, ...owner, amount: PRICE, expiresAtMs: Date.now() + 60_000, model };
  if ((await ledger.hold(hold)).status === 'refused') return undefined;
  const question = `${keyId} #${index}`;
  const reported = model === METERED ? PRICE - BigInt(index + 1) : null;
  const cost = reported ?? PRICE;
  await ledger.settle(holdId, {
    cost,
    model,
    provider: 'loopback',
    costSource: reported === null ? 'flat' : 'reported',
  });
  const answer: AcknowledgedAnswer = {
    call: { key, question, model },
    id: holdId,
    cost,
    model,
    replayed: false,
    body: holdId,
  };
  return { upstream: { model, question, reported }, answer };
}

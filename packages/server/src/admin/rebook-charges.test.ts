import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryApiKeys, memoryLedger } from '@searchgate/core';
import { createAdministration } from '@searchgate/core/administration';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/kit/spawn-server.js';
import { rebookCharges } from './rebook-charges.js';

const CHARGE = {
  type: 'request_finished',
  atMs: Date.UTC(2026, 10, 26),
  answerId: 'ans_1',
  organizationId: 'acme',
  keyId: 'key',
  model: 'local/docs',
  provider: 'local',
  cost: '0.001',
  upstreamCost: null,
  cache: null,
  joined: false,
  tag: null,
};

function start() {
  const ledger = memoryLedger();
  return { ledger, administration: createAdministration({ ledger, apiKeys: memoryApiKeys([]) }) };
}

function fileOf(lines: readonly string[]): string {
  const file = join(temporaryFolder(), 'log');
  writeFileSync(file, lines.join('\n'));
  return file;
}

it('reads more charges than a call has room for arguments', { timeout: 60_000 }, async () => {
  const lines = Array.from({ length: 150_000 }, (_, index) => JSON.stringify({ ...CHARGE, answerId: `ans_${index}` }));
  const found = await rebookCharges(start(), fileOf(lines), { dryRun: true });
  expect(found).toMatchObject({ charges: 150_000, missing: 150_000, amount: 150_000_000_000n, booked: 0 });
});

it.each([
  [true, { booked: 2, refused: [] }, 1_002_000_000n],
  [false, { booked: 0, refused: [{ id: 'ans_1' }, { id: 'ans_2' }] }, 1_000_000_000n],
])('needs credits unless the operator pays (%s)', async (operatorPays, booked, usage) => {
  const books = start();
  await books.administration.organizations.create({ id: 'acme', operatorPays });
  await books.administration.adjust({ organizationId: 'acme', amount: '1', note: 'used before' });
  const file = fileOf(['ans_1', 'ans_2'].map((answerId) => JSON.stringify({ ...CHARGE, answerId })));
  expect(await rebookCharges(books, file, { dryRun: false })).toMatchObject(booked);
  expect(await books.ledger.organizationTotals('acme')).toMatchObject({ usage, held: 0n });
  expect(await rebookCharges(books, file, { dryRun: true })).toMatchObject({ missing: operatorPays ? 0 : 2 });
});

it('books the fee of a call with the own key of the organization, and what the vendor billed to it', async () => {
  const books = start();
  const file = fileOf([JSON.stringify({ ...CHARGE, cost: '0', upstreamCost: '0', byok: true, tenantCost: '0.02' })]);
  expect(await rebookCharges(books, file, { dryRun: false })).toMatchObject({ booked: 1, amount: 0n });
  const { entries } = await books.ledger.entries();
  expect(entries).toMatchObject([{ kind: 'charge', amount: 0n, upstreamCost: 0n, tenantCost: 20_000_000n }]);
});

it('counts in the budgets of the event, also beyond their limits, each charge once', async () => {
  const books = start();
  const { administration, ledger } = books;
  await administration.organizations.create({ id: 'acme', operatorPays: true });
  await administration.budgets.set('acme', { id: 'user:ada', limit: '0' });
  const lines = [
    { ...CHARGE, budgets: ['user:ada', 'team:research'] },
    { ...CHARGE, answerId: 'ans_2', budgets: ['user:ada'] },
    { ...CHARGE, answerId: 'ans_3' },
    { ...CHARGE, answerId: 'ans_4', budgets: 'user:ada' },
  ];
  const file = fileOf(lines.map((line) => JSON.stringify(line)));
  for (const booked of [3, 0])
    expect(await rebookCharges(books, file, { dryRun: false })).toMatchObject({ booked, unreadable: [4] });
  const budgets = ['user:ada', 'team:research'].map((id) => ({ id, limitReset: null }));
  expect(await ledger.budgetTotals('acme', budgets)).toMatchObject([
    { usage: 2_000_000n, held: 0n },
    { usage: 1_000_000n, held: 0n },
  ]);
  const [entry] = (await ledger.entries()).entries;
  expect(entry).toMatchObject({ kind: 'charge', budgets: ['team:research', 'user:ada'] });
});

it('names the lines that may be charges and cannot be read', async () => {
  const [line, cut] = [JSON.stringify(CHARGE), JSON.stringify({ ...CHARGE, answerId: 'ans_2' }).slice(0, -2)];
  const damaged = [{ cost: '0.0000000001' }, { organizationId: 'two words' }, { model: null }, { cost: 1 }];
  const others = [{ answerId: null }, { cost: null, model: null }, { type: 'attempt_finished', cost: '?' }];
  const written = [...damaged, ...others].map((fields) => JSON.stringify({ ...CHARGE, ...fields }));
  const file = fileOf(['a line of another program', line, cut, ...written, '']);
  expect(await rebookCharges(start(), file, { dryRun: true })).toMatchObject({
    charges: 1,
    unreadable: [3, 4, 5, 6, 7],
  });
});

import type { LedgerEntry } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { CSV_HEADER, entryCsv } from './entry-csv.js';
import { entryJson } from './present.js';

const grant: LedgerEntry = {
  kind: 'grant',
  id: 'grant-1',
  organizationId: 'acme',
  keyId: null,
  amount: 25_000_000_000n,
  atMs: Date.UTC(2026, 10, 1, 12),
  note: 'invoice 7',
};

const charge: LedgerEntry = {
  kind: 'charge',
  id: 'ans_1',
  organizationId: 'acme',
  keyId: 'sg_1',
  amount: 1_500_000n,
  atMs: Date.UTC(2026, 10, 2),
  model: 'exa/answer',
  provider: 'exa',
  costSource: 'reported',
  late: false,
  upstreamCost: 1_000_000n,
  tag: 'team-a',
  budgets: ['team:research', 'user:ada'],
  tenantCost: 20_000_000n,
};

const withNote = (note: string) => entryCsv({ ...grant, note });

describe('entryCsv', () => {
  it('has a cell for each column of the header', () => {
    expect(CSV_HEADER).toBe(
      'at,kind,id,organizationId,keyId,amount,model,provider,costSource,late,reason,note,upstreamCost,tag,budgets,tenantCost\r\n',
    );
    expect(entryCsv(grant)).toBe('2026-11-01T12:00:00.000Z,grant,grant-1,acme,,25,,,,,,invoice 7,,,,\r\n');
    expect(entryCsv(charge)).toBe(
      '2026-11-02T00:00:00.000Z,charge,ans_1,acme,sg_1,0.0015,exa/answer,exa,reported,false,,,0.001,team-a,team:research user:ada,0.02\r\n',
    );
  });

  it.each<[string, Partial<Record<'id' | 'organizationId' | 'note', string>>, string]>([
    ['a note', { note: '=1+1' }, ",'=1+1,"],
    ['an organization', { organizationId: '=1+1' }, ",'=1+1,"],
    ['an id', { id: '-1' }, ",'-1,"],
    ['a part of a note', { note: 'x;=1+1' }, `,"x;'=1+1",`],
  ])('takes the formula out of %s', (_, change, cell) => {
    expect(entryCsv({ ...grant, ...change })).toContain(cell);
  });

  it('guards and quotes a formula with commas', () => {
    expect(withNote('=HYPERLINK("http://x","y")').endsWith(`,"'=HYPERLINK(""http://x"",""y"")",,,,\r\n`)).toBe(true);
  });

  it('takes the formula out of the id of a budget', () => {
    expect(entryCsv({ ...charge, budgets: ['=1+1', 'b'] }).endsWith(",'=1+1 b,0.02\r\n")).toBe(true);
  });

  it('leaves a negative amount a number', () => {
    const adjustment = { ...grant, kind: 'adjustment', amount: -1_500_000_000n } as const;
    expect(entryCsv(adjustment)).toContain(',acme,,-1.5,');
  });
});

describe('entryJson', () => {
  it('is plain JSON, with every amount as a decimal string', () => {
    expect(JSON.parse(JSON.stringify(entryJson(charge)))).toMatchObject({ amount: '0.0015', upstreamCost: '0.001' });
  });
});

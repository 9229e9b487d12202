import { createFakeClock } from '@searchgate/testing';
import * as fastCheck from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import type { Ledger } from '../ledger/ledger.js';
import type { LedgerEntry } from '../ledger/ledger-entry.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import { noUsage } from '../ledger/usage.js';
import type { StatementQuery, StatementRow } from './administration.js';
import { createAdministration } from './create-administration.js';

const START_MS = Date.UTC(2026, 10, 20, 22);
const HOUR_MS = 3_600_000;
const ORGANIZATIONS = ['acme', 'globex'];
const KEYS = ['b-key', 'a-key', 'C-key'];
const MODELS = ['exa/answer', 'Zed/model', 'perplexity/sonar'];
const TAGS = ['team-a', 'Team B'];
const SOURCES = ['flat', 'cached', 'shared'] as const;
const BY: readonly StatementQuery['by'][] = ['organization', 'key', 'model', 'tag', 'day'];

interface Step {
  readonly kind: 'grant' | 'adjust' | 'settle' | 'release' | 'expire';
  readonly hours: number;
  readonly organizationId: string;
  readonly keyId: string;
  readonly model: string;
  readonly tag: string | undefined;
  readonly costSource: (typeof SOURCES)[number];
  readonly amount: number;
}

const anyStep: fastCheck.Arbitrary<Step> = fastCheck.record({
  kind: fastCheck.constantFrom('grant', 'adjust', 'settle', 'settle', 'release', 'expire'),
  hours: fastCheck.nat(20),
  organizationId: fastCheck.constantFrom(...ORGANIZATIONS),
  keyId: fastCheck.constantFrom(...KEYS),
  model: fastCheck.constantFrom(...MODELS),
  tag: fastCheck.constantFrom(undefined, ...TAGS),
  costSource: fastCheck.constantFrom(...SOURCES),
  amount: fastCheck.nat(1_000),
});

async function play(ledger: Ledger, step: Step, index: number) {
  const { kind, organizationId, keyId, model, tag, costSource, amount } = step;
  const money = BigInt(amount);
  const id = `step-${index}`;
  const owner = { organizationId, keyId };
  const losses = [{ model: MODELS[index % 3] ?? model, provider: 'x', cost: money + 1n, reason: 'upstream_timeout' }];
  if (kind === 'grant') return ledger.grant({ grantId: id, organizationId, amount: money, note: '' });
  if (kind === 'adjust') {
    const whose = amount % 2 === 0 ? owner : { organizationId };
    return ledger.adjust({ adjustmentId: id, ...whose, amount: 500n - money, note: '' });
  }
  await ledger.grant({ grantId: `room-${index}`, organizationId, amount: money + 20_000n, note: '' });
  await ledger.hold({ holdId: id, ...owner, keyLimit: null, amount: money, expiresAtMs: START_MS, model, tag });
  const charge = { cost: money, upstreamCost: money / 2n, model, provider: 'x', costSource, losses };
  if (kind === 'settle') await ledger.settle(id, charge);
  else if (kind === 'release') await ledger.release(id, { reason: 'upstream_timeout', losses });
  else await ledger.expireHolds(START_MS);
  return undefined;
}

/** A statement computed in the simplest way, from the whole log, figure by figure. */
function workedOut(log: readonly LedgerEntry[], by: StatementQuery['by']): StatementRow[] {
  const groupOf = (entry: LedgerEntry): string | null => {
    if (by === 'organization') return entry.organizationId;
    if (by === 'key') return entry.keyId;
    if (by === 'tag') return 'tag' in entry ? (entry.tag ?? null) : null;
    if (by === 'day') return new Date(entry.atMs).toISOString().replace(/T.*/, '');
    return 'model' in entry ? entry.model : null;
  };
  const moved = log.filter(({ kind }) => kind !== 'expired');
  const groups = [...new Set(moved.map(groupOf))];
  const named = groups.filter((group) => group !== null).sort();
  return [...named, ...(groups.includes(null) ? [null] : [])].map((group) => {
    const of = (kind: LedgerEntry['kind']) => moved.filter((entry) => entry.kind === kind && groupOf(entry) === group);
    const sum = (kind: LedgerEntry['kind']) => of(kind).reduce((total, { amount }) => total + amount, 0n);
    const charges = of('charge').filter((entry) => entry.kind === 'charge');
    const again = charges.filter(({ costSource }) => costSource === 'cached' || costSource === 'shared');
    return {
      group,
      charges: charges.length,
      charged: sum('charge'),
      cachedCharges: again.length,
      cached: again.reduce((total, { amount }) => total + amount, 0n),
      upstreamCost: charges.reduce((total, { upstreamCost = 0n }) => total + upstreamCost, 0n),
      adjusted: sum('adjustment'),
      granted: sum('grant'),
      lost: sum('loss'),
    };
  });
}

async function playAll(steps: readonly Step[]) {
  const clock = createFakeClock(START_MS);
  const ledger = memoryLedger({ clock });
  for (const [index, each] of steps.entries()) {
    await clock.advance(each.hours * HOUR_MS);
    await play(ledger, each, index);
  }
  const administration = createAdministration({ ledger, apiKeys: memoryApiKeys(), clock });
  const { entries } = await ledger.entries({ limit: 1_000 });
  return { ledger, administration, log: entries };
}

describe('statement', () => {
  it('equals the sums of the log, and adds up to the totals', async () => {
    const history = fastCheck.array(anyStep, { maxLength: 30 });
    await fastCheck.assert(
      fastCheck.asyncProperty(history, async (steps) => {
        const { ledger, administration, log } = await playAll(steps);
        for (const by of BY) expect(await administration.statement({ by })).toEqual(workedOut(log, by));
        for (const { group, charged, adjusted, granted } of await administration.statement({ by: 'organization' })) {
          const totals = await ledger.organizationTotals(group ?? '');
          expect(totals).toMatchObject({ usage: charged + adjusted, credits: granted });
        }
        const byKey = await administration.statement({ by: 'key' });
        for (const { group, charged, adjusted } of byKey.filter((row) => row.group !== null)) {
          expect(await ledger.keyTotals(group ?? '')).toMatchObject({ usage: charged + adjusted });
        }
      }),
      { numRuns: 40 },
    );
  });

  it('covers only the requested organization, key and time', async () => {
    const bound = fastCheck.constantFrom('2026-11-21', '2026-11-23', '2026-12-01');
    const query = fastCheck.record(
      {
        organizationId: fastCheck.constantFrom(...ORGANIZATIONS),
        keyId: fastCheck.constantFrom(...KEYS),
        from: bound,
        to: bound,
      },
      { requiredKeys: [] },
    );
    await fastCheck.assert(
      fastCheck.asyncProperty(fastCheck.array(anyStep, { maxLength: 20 }), query, async (steps, asked) => {
        fastCheck.pre((asked.from ?? '') <= (asked.to ?? '2100-01-01'));
        const { administration, log } = await playAll(steps);
        const kept = log.filter(
          ({ organizationId, keyId, atMs }) =>
            (asked.organizationId ?? organizationId) === organizationId &&
            (asked.keyId ?? keyId) === keyId &&
            atMs >= Date.parse(asked.from ?? '1970-01-01') &&
            atMs < Date.parse(asked.to ?? '2100-01-01'),
        );
        for (const by of BY) expect(await administration.statement({ by, ...asked })).toEqual(workedOut(kept, by));
      }),
      { numRuns: 40 },
    );
  });

  it('begins and ends a day at midnight UTC', async () => {
    const at = async (time: string) => {
      const clock = createFakeClock(Date.parse(time));
      const ledger = memoryLedger({ credits: { acme: '1' }, clock });
      const administration = createAdministration({ ledger, apiKeys: memoryApiKeys(), clock });
      const day = { by: 'day', from: '2026-11-21', to: '2026-11-22' } as const;
      return (await administration.statement(day)).map(({ group }) => group);
    };
    expect(await at('2026-11-20T23:59:59.999Z')).toEqual([]);
    expect(await at('2026-11-21T00:00:00Z')).toEqual(['2026-11-21']);
    expect(await at('2026-11-21T23:59:59.999Z')).toEqual(['2026-11-21']);
    expect(await at('2026-11-22T00:00:00Z')).toEqual([]);
  });

  it('has every group, however many pages of the ledger they fill', async () => {
    const ledger = memoryLedger();
    const ids = Array.from({ length: 2_000 }, (_, index) => `organization-${10_000 + index}`);
    const administration = createAdministration({ ledger, apiKeys: memoryApiKeys() });
    for (const count of [1, 999, 1_000, 1_001, 2_000]) {
      for (const organizationId of ids.slice(0, count)) {
        await ledger.grant({ grantId: organizationId, organizationId, amount: 1n, note: '' });
      }
      const rows = await administration.statement({ by: 'organization' });
      expect(rows.map(({ group }) => group)).toEqual(ids.slice(0, count));
    }
    expect(await administration.statement({ by: 'key' })).toMatchObject([{ group: null, granted: 2_000n }]);
  });

  it('refuses more groups than an answer can hold', async () => {
    let pages = 0;
    const endless: Ledger = {
      ...memoryLedger(),
      async usage() {
        pages += 1;
        return Array.from({ length: 1_000 }, (_, index) => ({ ...noUsage(), group: `${pages}.${index}` }));
      },
    };
    const administration = createAdministration({ ledger: endless, apiKeys: memoryApiKeys() });
    await expect(administration.statement({ by: 'tag' })).rejects.toMatchObject({
      reason: 'invalid_argument',
      message: 'statement: more than 100000 groups; ask for one organization or fewer days',
    });
    expect(pages).toBe(100);
  });

  it.each<[object, string]>([
    [{ by: 'week' }, 'invalid_argument'],
    [{ by: 'toString' }, 'invalid_argument'],
    [{}, 'invalid_argument'],
    [{ by: 'day', since: '2026-11-21' }, 'invalid_argument'],
    [{ by: 'day', from: '21.11.2026' }, 'invalid_argument'],
    [{ by: 'day', to: '2026-02-30' }, 'invalid_argument'],
    [{ by: 'day', from: '2026-11-21T00:00:00Z' }, 'invalid_argument'],
    [{ by: 'day', from: '1969-12-31' }, 'invalid_argument'],
    [{ by: 'day', from: '2026-11-22', to: '2026-11-21' }, 'invalid_argument'],
    [{ by: 'day', keyId: 'two words' }, 'invalid_id'],
  ])('refuses %j', async (query, reason) => {
    const administration = createAdministration({ ledger: memoryLedger(), apiKeys: memoryApiKeys() });
    await expect(administration.statement(query as StatementQuery)).rejects.toMatchObject({ reason });
  });
});

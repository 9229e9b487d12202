import { createFakeClock } from '@searchgate/testing';
import * as fastCheck from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import type { Ledger } from '../ledger/ledger.js';
import type { LedgerEntry } from '../ledger/ledger-entry.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import type { StatementQuery, StatementRow } from './administration.js';
import { createAdministration } from './create-administration.js';

const START_MS = Date.UTC(2026, 10, 20, 22);
const HOUR_MS = 3_600_000;
const ORGANIZATIONS = ['acme', 'globex'];
const KEYS = ['b-key', 'a-key', 'C-key'];
const MODELS = ['exa/answer', 'Zed/model', 'perplexity/sonar'];
const BY: readonly StatementQuery['by'][] = ['organization', 'key', 'model', 'day'];

interface Step {
  readonly kind: 'grant' | 'adjust' | 'settle' | 'release' | 'expire';
  readonly hours: number;
  readonly organizationId: string;
  readonly keyId: string;
  readonly model: string;
  readonly amount: number;
}

const step: fastCheck.Arbitrary<Step> = fastCheck.record({
  kind: fastCheck.constantFrom('grant', 'adjust', 'settle', 'settle', 'release', 'expire'),
  hours: fastCheck.nat(20),
  organizationId: fastCheck.constantFrom(...ORGANIZATIONS),
  keyId: fastCheck.constantFrom(...KEYS),
  model: fastCheck.constantFrom(...MODELS),
  amount: fastCheck.nat(1_000),
});

async function play(ledger: Ledger, { kind, organizationId, keyId, model, amount }: Step, index: number) {
  const money = BigInt(amount);
  const id = `step-${index}`;
  const owner = { organizationId, keyId };
  const losses = [{ model: MODELS[index % 3] ?? model, provider: 'x', cost: money + 1n, reason: 'upstream_timeout' }];
  if (kind === 'grant') return ledger.grant({ grantId: id, organizationId, amount: money, note: '' });
  if (kind === 'adjust') {
    const whose = amount % 2 === 0 ? owner : { organizationId };
    return ledger.adjust({ adjustmentId: id, ...whose, amount: 500n - money, note: '' });
  }
  await ledger.grant({ grantId: `room-${index}`, organizationId, amount: money + 1_000n, note: '' });
  await ledger.hold({ holdId: id, ...owner, keyLimit: null, amount: money, expiresAtMs: START_MS, model });
  if (kind === 'settle') await ledger.settle(id, { cost: money, model, provider: 'x', costSource: 'flat', losses });
  else if (kind === 'release') await ledger.release(id, { reason: 'upstream_timeout', losses });
  else await ledger.expireHolds(START_MS, amount % 2 === 0 ? 'release' : 'charge');
  return undefined;
}

/** A statement computed in the simplest way, from the whole log, figure by figure. */
function workedOut(log: readonly LedgerEntry[], by: StatementQuery['by']): StatementRow[] {
  const groupOf = (entry: LedgerEntry): string | null => {
    if (by === 'organization') return entry.organizationId;
    if (by === 'key') return entry.keyId;
    if (by === 'day') return new Date(entry.atMs).toISOString().replace(/T.*/, '');
    return 'model' in entry ? entry.model : null;
  };
  const moved = log.filter(({ kind }) => kind !== 'expired');
  const groups = [...new Set(moved.map(groupOf))];
  const named = groups.filter((group) => group !== null).sort();
  return [...named, ...(groups.includes(null) ? [null] : [])].map((group) => {
    const of = (kind: LedgerEntry['kind']) => moved.filter((entry) => entry.kind === kind && groupOf(entry) === group);
    const sum = (kind: LedgerEntry['kind']) => of(kind).reduce((total, { amount }) => total + amount, 0n);
    return {
      group,
      charges: of('charge').length,
      charged: sum('charge'),
      adjusted: sum('adjustment'),
      granted: sum('grant'),
      lost: sum('loss'),
    };
  });
}

/** A ledger that gives pages of three, so that short histories have many. */
function inSmallPages(ledger: Ledger): Ledger {
  return { ...ledger, entries: (query) => ledger.entries({ ...query, limit: 3 }) };
}

async function playAll(steps: readonly Step[]) {
  const clock = createFakeClock(START_MS);
  const ledger = memoryLedger({ clock });
  for (const [index, each] of steps.entries()) {
    await clock.advance(each.hours * HOUR_MS);
    await play(ledger, each, index);
  }
  const administration = createAdministration({ ledger: inSmallPages(ledger), apiKeys: memoryApiKeys(), clock });
  const { entries } = await ledger.entries({ limit: 1_000 });
  return { ledger, administration, log: entries };
}

describe('statement', () => {
  it('equals what the log adds up to, and adds up to the totals', async () => {
    const history = fastCheck.array(step, { maxLength: 30 });
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

  it('keeps to the organization, the key and the time asked about', async () => {
    const bound = fastCheck.constantFrom('2026-11-21', '2026-11-23T12:00:00+02:00', '2026-11-30');
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
      fastCheck.asyncProperty(fastCheck.array(step, { maxLength: 20 }), query, async (steps, asked) => {
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

  it.each<[object, string]>([
    [{ by: 'week' }, 'invalid_argument'],
    [{ by: 'toString' }, 'invalid_argument'],
    [{}, 'invalid_argument'],
    [{ by: 'day', since: '2026-11-21' }, 'invalid_argument'],
    [{ by: 'day', from: '21.11.2026' }, 'invalid_argument'],
    [{ by: 'day', to: '2026-02-30' }, 'invalid_argument'],
    [{ by: 'day', from: '2026-11-21T00:00:00' }, 'invalid_argument'],
    [{ by: 'day', keyId: 'two words' }, 'invalid_id'],
  ])('refuses %j', async (query, reason) => {
    const administration = createAdministration({ ledger: memoryLedger(), apiKeys: memoryApiKeys() });
    await expect(administration.statement(query as StatementQuery)).rejects.toMatchObject({ reason });
  });
});

import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import type { Ledger } from '../ledger/ledger.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import { noUsage } from '../ledger/usage.js';
import type { StatementQuery } from './administration.js';
import { createAdministration } from './create-administration.js';

describe('statement', () => {
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

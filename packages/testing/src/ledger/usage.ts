import assert from 'node:assert/strict';
import { type Ledger, USAGE_GROUPS } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { allEntries, sum } from './observe.js';
import { allUsage, assertUsage, assertUsageOfLog, rowOf } from './observe-usage.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';
import { registerUsageBounds } from './usage-bounds.js';
import { registerUsageOverTime } from './usage-over-time.js';

/** One of each kind of entry, for two organizations that share a key. */
async function writeMixedUsage(ledger: Ledger): Promise<void> {
  for (const organizationId of ['acme', 'globex']) {
    const owned = (name: string, keyId: string) => ({ holdId: `${organizationId}.${name}`, organizationId, keyId });
    await ledger.grant(grantOf({ grantId: `${organizationId}.grant`, organizationId, amount: 1_000n }));
    await ledger.adjust(adjustmentOf({ adjustmentId: `${organizationId}.adjustment`, organizationId, amount: -3n }));
    const ofKey = { organizationId, keyId: 'shared', amount: 11n };
    await ledger.adjust(adjustmentOf({ adjustmentId: `${organizationId}.of-key`, ...ofKey }));
    await ledger.hold(holdOf({ ...owned('plain', `${organizationId}-a`) }));
    await ledger.settle(`${organizationId}.plain`, chargeOf({ upstreamCost: 4n }));
    await ledger.hold(holdOf({ ...owned('tagged', `${organizationId}-a`), tag: 'team-a' }));
    await ledger.settle(`${organizationId}.tagged`, chargeOf({ cost: 0n, costSource: 'cached', losses: TWO_LOSSES }));
    await ledger.hold(holdOf({ ...owned('shared', 'shared'), tag: 'team-b' }));
    await ledger.settle(`${organizationId}.shared`, chargeOf({ cost: 9n, costSource: 'shared', model: 'a/b' }));
    await ledger.hold(holdOf({ ...owned('released', 'shared'), tag: 'team-a' }));
    await ledger.release(`${organizationId}.released`, { ...RELEASE, losses: TWO_LOSSES });
  }
}

/**
 * Usage: the sums of the log by each group, in pages, for some owners and days; exact despite parallel writes.
 */
export function registerUsage(suite: LedgerSuite): void {
  suite.describe('usage', () => {
    registerSums(suite);
    registerUsagePages(suite);
    registerUsageBounds(suite);
    registerUsageAtOnce(suite);
    registerUsageOverTime(suite);
  });
}

function registerSums({ funded, test }: LedgerSuite): void {
  test('has no rows without entries', async ({ ledger, now }) => {
    await ledger.hold(holdOf({ amount: 0n, expiresAtMs: now() }));
    await ledger.expireHolds(now());
    await ledger.hold(holdOf({ holdId: 'released', amount: 0n }));
    await ledger.release('released', RELEASE);
    for (const by of USAGE_GROUPS) assert.deepEqual(await ledger.usage({ by }), []);
  });

  test('adds up charges, cached answers, corrections, grants and losses', async ({ ledger }) => {
    await writeMixedUsage(ledger);
    const charged = { charges: 3, charged: 16n, cachedCharges: 2, cached: 9n, upstreamCost: 4n };
    const each = { ...charged, adjusted: 8n, granted: 1_000n, lost: 6n };
    assert.deepEqual(await allUsage(ledger, { by: 'organization' }), [rowOf('acme', each), rowOf('globex', each)]);
    assert.deepEqual(await allUsage(ledger, { by: 'key', organizationId: 'acme' }), [
      rowOf('acme-a', { charges: 2, charged: 7n, cachedCharges: 1, upstreamCost: 4n, lost: 3n }),
      rowOf('shared', { charges: 1, charged: 9n, cachedCharges: 1, cached: 9n, adjusted: 11n, lost: 3n }),
      rowOf(null, { adjusted: -3n, granted: 1_000n }),
    ]);
    assert.deepEqual(await allUsage(ledger, { by: 'model', organizationId: 'acme' }), [
      rowOf('a/b', { charges: 1, charged: 9n, cachedCharges: 1, cached: 9n }),
      rowOf('exa/answer', {}),
      rowOf('exa/answer-fast', { charges: 2, charged: 7n, cachedCharges: 1, upstreamCost: 4n }),
      rowOf('perplexity/sonar', { lost: 6n }),
      rowOf(null, { adjusted: 8n, granted: 1_000n }),
    ]);
    assert.deepEqual(await allUsage(ledger, { by: 'tag', organizationId: 'acme' }), [
      rowOf('team-a', { charges: 1, cachedCharges: 1, lost: 6n }),
      rowOf('team-b', { charges: 1, charged: 9n, cachedCharges: 1, cached: 9n }),
      rowOf(null, { charges: 1, charged: 7n, upstreamCost: 4n, adjusted: 8n, granted: 1_000n }),
    ]);
  });

  test('counts a repeated operation once, and a refused operation not at all', async ({ ledger }) => {
    await writeMixedUsage(ledger);
    const before = await allUsage(ledger, { by: 'organization' });
    await writeMixedUsage(ledger).catch(() => undefined);
    await ledger.settle('acme.plain', chargeOf({ cost: 99n, losses: TWO_LOSSES }));
    await ledger.release('acme.released', { ...RELEASE, losses: TWO_LOSSES });
    await assert.rejects(ledger.settle('unknown', chargeOf({ losses: TWO_LOSSES })));
    assert.deepEqual(await allUsage(ledger, { by: 'organization' }), before);
  });

  funded(100n, 'counts a settle that comes late under the tag of the hold', async (under) => {
    const { ledger, now } = under;
    await ledger.hold(holdOf({ holdId: 'late', expiresAtMs: now(), tag: 'late' }));
    await ledger.expireHolds(now());
    await ledger.settle('late', chargeOf({ losses: TWO_LOSSES }));
    assert.deepEqual(await allUsage(ledger, { by: 'tag' }), [
      rowOf('late', { charges: 1, charged: 7n, lost: 3n }),
      rowOf(null, { granted: 100n }),
    ]);
  });
}

function registerUsagePages({ test }: LedgerSuite): void {
  test('counts only the organization of the query, the key, or both', async ({ ledger }) => {
    await writeMixedUsage(ledger);
    const log = await allEntries(ledger);
    for (const by of USAGE_GROUPS) {
      for (const organizationId of ['acme', 'unknown', undefined]) {
        for (const keyId of ['acme-a', 'globex-a', 'shared', 'unknown', undefined]) {
          await assertUsage(ledger, log, { by, ...(organizationId && { organizationId }), ...(keyId && { keyId }) });
        }
      }
    }
  });

  test('orders groups by their UTF-8 bytes, with the row without a group last', async ({ ledger }) => {
    const tags = ['\u{1f4b6}', 'a', 'Z', '\uff5e', 'é', 'a b', 'ab', "it's", '%', '_'];
    await ledger.grant(grantOf());
    for (const [index, tag] of tags.entries()) {
      await ledger.hold(holdOf({ holdId: `hold-${index}`, amount: 1n, tag }));
      await ledger.settle(`hold-${index}`, chargeOf({ cost: 1n, model: tag }));
    }
    const ordered = ['%', 'Z', '_', 'a', 'a b', 'ab', "it's", 'é', '\uff5e', '\u{1f4b6}', null];
    for (const by of ['tag', 'model'] as const) {
      for (const limit of [1, 3, 10, 11, 12]) {
        const groups = (await allUsage(ledger, { by, limit })).map(({ group }) => group);
        assert.deepEqual(groups, ordered, `by ${by} in pages of ${limit}`);
      }
    }
  });

  test('returns pages of 100 by default, after any group', async ({ ledger }) => {
    const ids = Array.from({ length: 101 }, (_, index) => `organization-${1_000 + index}`);
    for (const organizationId of ids) await ledger.grant(grantOf({ grantId: organizationId, organizationId }));
    const groups = async (after?: string) => {
      const rows = await ledger.usage({ by: 'organization', ...(after !== undefined && { after }) });
      return rows.map(({ group }) => group);
    };
    assert.deepEqual(await groups(), ids.slice(0, 100));
    assert.deepEqual(await groups(''), ids.slice(0, 100));
    assert.deepEqual(await groups(ids[99]), ids.slice(100));
    assert.deepEqual(await groups('organization-10500'), ids.slice(51));
    assert.deepEqual(await groups('zzz'), []);
  });

  for (const by of USAGE_GROUPS) {
    test(`walks the pages of usage by ${by} without skipping or repeating a group`, async ({ ledger }) => {
      await writeMixedUsage(ledger);
      const log = await allEntries(ledger);
      for (const limit of [1, 2, 3, 1_000]) {
        await assertUsage(ledger, log, { by, limit });
        await assertUsage(ledger, log, { by, limit, organizationId: 'acme' });
        await assertUsage(ledger, log, { by, limit, keyId: 'shared' });
      }
    });
  }
}

function registerUsageAtOnce({ test, supports }: LedgerSuite): void {
  test('is exact after 200 settles at once', async ({ ledger, connect }) => {
    const handles = supports.connections === true && connect !== undefined ? [ledger, await connect()] : [ledger];
    const numbers = Array.from({ length: 200 }, (_, index) => index);
    await ledger.grant(grantOf({ amount: 100_000n }));
    await ledger.grant(grantOf({ grantId: 'globex', organizationId: 'globex', amount: 100_000n }));
    await Promise.all(
      numbers.map(async (index) => {
        const handle = handles[index % handles.length] ?? ledger;
        const owner = { organizationId: index % 3 === 0 ? 'globex' : 'acme', keyId: `key-${index % 5}` };
        const holdId = `hold-${index}`;
        await handle.hold(holdOf({ holdId, ...owner, ...(index % 2 === 0 && { tag: `tag-${index % 7}` }) }));
        const served = { model: `model-${index % 3}`, cost: BigInt(index), upstreamCost: BigInt(index % 10) };
        await handle.settle(holdId, chargeOf({ ...served, ...(index % 11 === 0 && { losses: TWO_LOSSES }) }));
      }),
    );
    for (const handle of handles) await assertUsageOfLog(handle);
    const rows = await allUsage(ledger, { by: 'organization' });
    assert.equal(sum(rows.map(({ charges }) => charges)), 200);
  });
}

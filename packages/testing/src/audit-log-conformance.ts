import assert from 'node:assert/strict';
import { type AuditLog, type AuditRecord, auditId } from '@searchgate/core/ledger';
import { allPages } from './all-pages.js';
import { type TestRunner, testsOf } from './test-runner.js';

/** A fresh log and the means of a test to handle it. */
export interface AuditLogUnderTest {
  /** Empty, used by this test alone. */
  readonly log: AuditLog;
  /** Cleans up, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** The audit log under test, and the test runner. */
export interface AuditLogConformanceOptions extends TestRunner {
  /** Called once per test. */
  readonly create: () => Promise<AuditLogUnderTest>;
}

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 1);

/** The record of a minute. Two organizations, three actors. */
export function auditRecordAt(minute: number, changes: Partial<AuditRecord> = {}): AuditRecord {
  const atMs = START_MS + minute * 60_000;
  return {
    id: auditId(atMs),
    atMs,
    actor: ['Ada Ä', 'token:ci', "cli:o'neill"][minute % 3] ?? '',
    action: 'key.update',
    organizationId: minute % 2 === 0 ? 'acme' : 'globex',
    keyId: `key-${minute % 5}`,
    outcome: 'made',
    given: { limit: '5.00' },
    before: { limit: null, label: 'line\nbreak 🏢' },
    after: { limit: '5.00' },
    ...changes,
  };
}

/** What every `AuditLog` does: it keeps records exactly, finds them newest first, replaces, forgets after 400 days, and erases all but the trail of money. */
export function auditLogConformance({ describe, it, create }: AuditLogConformanceOptions): void {
  const test = testsOf(it, create);
  const fill = async (log: AuditLog, count: number) => {
    for (let minute = 0; minute < count; minute += 1) await log.append(auditRecordAt(minute));
  };
  const minutesOf = (records: readonly AuditRecord[]) => records.map(({ atMs }) => (atMs - START_MS) / 60_000);

  describe('record of changes', () => {
    test('keeps records exactly, and gives the newest first', async ({ log }) => {
      await fill(log, 3);
      const newest = [2, 1, 0].map((minute) => auditRecordAt(minute));
      assert.deepEqual(await log.find({}, { limit: 10 }), { records: newest, nextCursor: null });
    });

    test('replaces a record of the same id', async ({ log }) => {
      await log.append(auditRecordAt(1, { outcome: 'begun', after: null }));
      await log.append(auditRecordAt(1));
      assert.deepEqual((await log.find({}, { limit: 10 })).records, [auditRecordAt(1)]);
    });

    test('gives each record once, page by page, whatever the filter', async ({ log }) => {
      await fill(log, 250);
      const filters = [{}, { organizations: ['acme'] }, { actor: 'token:ci' }, { keyId: 'key-3' }];
      for (const filter of filters) {
        const { records: all } = await log.find(filter, { limit: 1_000 });
        const pages = await allPages((next) => log.find(filter, { limit: 7, ...next }));
        assert.deepEqual(
          pages.flatMap(({ records }) => records),
          all,
        );
        assert.ok(all.length > 7);
      }
    });

    test('finds by time, organizations, key and actor together', async ({ log }) => {
      await fill(log, 30);
      const between = { sinceMs: START_MS + 4 * 60_000, untilMs: START_MS + 16 * 60_000 };
      const find = async (filter: object) => minutesOf((await log.find(filter, { limit: 100 })).records);
      assert.deepEqual(await find(between), [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
      assert.deepEqual(await find({ ...between, organizations: ['acme'], actor: 'token:ci' }), [10, 4]);
      assert.deepEqual(await find({ keyId: 'key-4', organizations: ['globex', 'other'] }), [29, 19, 9]);
      assert.deepEqual(await find({ organizations: [] }), []);
    });

    test('forgets what is older than 400 days with the next record', async ({ log }) => {
      await fill(log, 2);
      await log.append(auditRecordAt(1 + (400 * DAY_MS) / 60_000));
      assert.deepEqual(minutesOf((await log.find({}, { limit: 10 })).records), [1 + 400 * 1_440, 1]);
    });

    test('erases the records of one organization, but none of money, nor of erasing', async ({ log }) => {
      await fill(log, 450);
      const kept = (['grant', 'adjust', 'requests.erase', 'changes.erase'] as const).map((action) => ({ action }));
      for (const [index, change] of [...kept, { given: { operatorPays: true } }].entries())
        await log.append(auditRecordAt(450 + index, { organizationId: 'acme', ...change }));
      await assert.rejects(log.erase(''), { reason: 'invalid_id' });
      assert.deepEqual([await log.erase('acme'), await log.erase('acme')], [225, 0]);
      const { records } = await log.find({}, { limit: 1_000 });
      assert.deepEqual(minutesOf(records.slice(0, 5)), [454, 453, 452, 451, 450]);
      assert.deepEqual(
        records.slice(5).map(({ organizationId }) => organizationId),
        Array(225).fill('globex'),
      );
    });
  });
}

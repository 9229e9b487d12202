import { describe, expect, it } from 'vitest';
import { type AuditEngine, type AuditedCounters, type AuditedHeld, auditLedger, slicesOf } from './audit-ledger.js';
import { type Checkpoint, NOTHING_REMOVED, type ReplayedEntry } from './log-replay.js';

const AT_MS = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

function entry(kind: ReplayedEntry['kind'], amount: bigint, changes: Partial<ReplayedEntry> = {}): ReplayedEntry {
  return { kind, organizationId: 'acme', keyId: kind === 'grant' ? null : 'key-1', amount, atMs: AT_MS, ...changes };
}

const LOG = [
  entry('grant', 100n),
  entry('charge', 7n, { budgets: ['team'] }),
  entry('loss', 3n),
  entry('adjustment', -2n, { budgets: ['team'] }),
  entry('expired', 9n),
];

function windowsOf(usage: bigint, day = usage): NonNullable<AuditedCounters['windows']> {
  const today = { startsAtMs: Date.UTC(2026, 10, 21), usage: day };
  const week = { startsAtMs: Date.UTC(2026, 10, 16), usage };
  return { daily: today, weekly: week, monthly: { startsAtMs: Date.UTC(2026, 10, 1), usage } };
}

const HELD: AuditedHeld = {
  subject: 'key',
  id: 'key-1',
  counted: { held: 10n, inFlight: 1 },
  recomputed: { held: 9n, inFlight: 1 },
};

interface Storage {
  readonly log?: readonly ReplayedEntry[];
  readonly checkpoint?: Checkpoint;
  readonly organization?: Partial<AuditedCounters>;
  readonly key?: Partial<AuditedCounters>;
  readonly budget?: Partial<AuditedCounters>;
  readonly nowMs?: number;
  readonly held?: readonly AuditedHeld[];
  /** What is written when the counters are read for the first time. */
  readonly written?: readonly ReplayedEntry[];
}

/** An engine of one organization, one key and one budget, with the counters of {@link LOG}, unless changed. */
function engineOf({
  log = LOG,
  checkpoint = NOTHING_REMOVED,
  organization,
  key,
  budget,
  nowMs = AT_MS,
  held = [],
  written = [],
}: Storage = {}) {
  let seen = 0;
  let present = log;
  const asked: unknown[] = [];
  const counters = {
    organization: { id: 'acme', held: 0n, inFlight: 0, credits: 100n, usage: 5n, sums: 5n, ...organization },
    key: { id: 'key-1', held: 0n, inFlight: 0, usage: 5n, sums: 5n, windows: windowsOf(5n), ...key },
    budget: { id: 'acme team', held: 0n, inFlight: 0, usage: 5n, windows: windowsOf(5n), isKept: true, ...budget },
  };
  const engine: AuditEngine = {
    now: () => nowMs,
    checkpoint: async () => checkpoint,
    async *subjects(subject) {
      yield [counters[subject].id];
    },
    async view(replay, subject, ids) {
      if (ids.length > 0) present = [...log, ...written];
      if (replay.cut !== checkpoint.cut) throw new Error('the log was cut');
      for (const each of present.slice(seen)) replay.add(each);
      seen = present.length;
      return ids.map((id) =>
        id === counters[subject].id ? counters[subject] : { id, held: 0n, inFlight: 0, usage: 0n, sums: 0n },
      );
    },
    async held(subjects) {
      asked.push(subjects);
      return { openHolds: held.length, subjects: held };
    },
  };
  return { engine, asked };
}

const differencesOf = async (storage: Storage) => (await auditLedger(engineOf(storage).engine)).differences;

describe('auditLedger', () => {
  it('reports no differences if every counter equals the log', async () => {
    const report = { organizations: 1, keys: 1, budgets: 1, entries: 5, openHolds: 0, differences: [] };
    expect(await auditLedger(engineOf().engine)).toEqual(report);
  });

  it.each<[counter: string, storage: Storage, counted: bigint, recomputed: bigint]>([
    ['credits', { organization: { credits: 99n } }, 99n, 100n],
    ['usage', { organization: { usage: 6n, sums: 6n } }, 6n, 5n],
    ['sums', { organization: { sums: 4n } }, 5n, 4n],
    ['usage', { key: { usage: 6n, sums: 6n, windows: windowsOf(5n) } }, 6n, 5n],
    ['sums', { key: { sums: 7n } }, 5n, 7n],
    ['day', { key: { windows: windowsOf(5n, 1n) } }, 1n, 5n],
    ['usage', { budget: { usage: 6n } }, 6n, 5n],
    ['month', { budget: { isKept: false, windows: { ...windowsOf(5n), monthly: windowsOf(4n).monthly } } }, 4n, 5n],
  ])('finds %s that differ', async (counter, storage, counted, recomputed) => {
    const ofBudget = { subject: 'budget', id: 'acme team' };
    const ofKey = { subject: 'key', id: 'key-1' };
    const named = storage.key ? ofKey : storage.budget ? ofBudget : { subject: 'organization', id: 'acme' };
    expect(await differencesOf(storage)).toEqual([{ ...named, counter, counted, recomputed }]);
  });

  it('allows the counter of a budget to be forgotten, and to begin again, after it was idle', async () => {
    const idle = AT_MS + 72 * DAY_MS;
    for (const isKept of [undefined, false, true]) {
      const gone = { usage: 0n, windows: undefined, isKept };
      expect(await differencesOf({ budget: gone, nowMs: idle })).toEqual([]);
      expect((await differencesOf({ budget: gone, nowMs: idle - DAY_MS })).length).toBeGreaterThan(0);
    }
    const log = [...LOG, entry('charge', 1n, { atMs: idle, keyId: 'key-2', organizationId: 'b', budgets: ['team'] })];
    expect(await differencesOf({ log, budget: { id: 'acme team', usage: 3n, isKept: false } })).toContainEqual(
      expect.objectContaining({ id: 'b team' }),
    );
    const again = [entry('charge', 9n, { atMs: AT_MS - 72 * DAY_MS, budgets: ['team'] }), ...LOG];
    const differing = async (usage: bigint) =>
      (await differencesOf({ log: again, budget: { usage } })).filter(({ subject }) => subject === 'budget');
    // In between, where it has been kept since an idle time before the last.
    for (const usage of [14n, 9n, 5n]) expect(await differing(usage)).toEqual([]);
    for (const usage of [15n, 4n]) expect(await differing(usage)).toHaveLength(1);
  });

  it('begins with the sums of removed entries', async () => {
    const usage = { usage: 40n, latestDay: AT_MS / DAY_MS - 1.5, beforeDay: 30n, beforeWeek: 20n, beforeMonth: 10n };
    const checkpoint: Checkpoint = {
      cut: '17',
      organizations: [['acme', { credits: 1_000n, usage: 40n }]],
      keys: [['key-1', usage]],
      budgets: [['acme team', { ...usage, beforeIdle: 30n }]],
    };
    const windows = {
      daily: { startsAtMs: Date.UTC(2026, 10, 21), usage: 5n },
      weekly: { startsAtMs: Date.UTC(2026, 10, 16), usage: 25n },
      monthly: { startsAtMs: Date.UTC(2026, 10, 1), usage: 35n },
    };
    const counters = {
      organization: { credits: 1_100n, usage: 45n, sums: 45n },
      key: { usage: 45n, sums: 45n, windows },
      budget: { usage: 15n, windows },
    };
    expect(await differencesOf({ checkpoint, ...counters })).toEqual([]);
    expect((await differencesOf({ checkpoint })).map(({ counter }) => counter)).toContain('credits');
  });

  it('does not change the figures of a checkpoint', async () => {
    const totals = { credits: 1n, usage: 0n };
    await auditLedger(
      engineOf({ checkpoint: { cut: '1', organizations: [['acme', totals]], keys: [], budgets: [] } }).engine,
    );
    expect(totals).toEqual({ credits: 1n, usage: 0n });
  });

  it('includes entries written during the audit', async () => {
    const counters = { organization: { usage: 8n, sums: 8n }, key: { usage: 8n, sums: 8n, windows: windowsOf(8n) } };
    expect(await differencesOf({ written: [entry('charge', 3n)], ...counters })).toEqual([]);
  });

  it('reports a subject of the log without counters', async () => {
    const log = [...LOG, entry('charge', 4n, { organizationId: 'globex', keyId: 'key-2' })];
    const found = (await differencesOf({ log })).map(({ subject, id, counter }) => `${subject} ${id} ${counter}`);
    expect(found).toEqual(
      expect.arrayContaining(['organization globex usage', 'key key-2 usage', 'key key-2 day', 'key key-2 month']),
    );
  });

  it('reads the open holds again if only a counter has a held amount, and trusts the second reading', async () => {
    const { engine, asked } = engineOf({ organization: { held: 10n }, key: { inFlight: 1 } });
    expect((await auditLedger(engine)).differences).toEqual([]);
    expect(asked).toEqual([
      [],
      [
        { subject: 'organization', id: 'acme' },
        { subject: 'key', id: 'key-1' },
      ],
    ]);
  });

  it('finds what is held that differs from the open holds', async () => {
    expect(await differencesOf({ held: [HELD] })).toEqual([
      { subject: 'key', id: 'key-1', counter: 'held', counted: 10n, recomputed: 9n },
    ]);
  });

  it('reports more differences than a call has room for arguments', async () => {
    expect(await differencesOf({ held: Array.from({ length: 200_000 }, () => HELD) })).toHaveLength(200_000);
  });

  it('fails if the engine finds that the log was cut', async () => {
    const { engine } = engineOf();
    let views = 0;
    const cut: AuditEngine = {
      ...engine,
      view(replay, subject, ids) {
        views += 1;
        if (views > 1) return Promise.reject(new Error('the log was cut'));
        return engine.view(replay, subject, ids);
      },
    };
    await expect(auditLedger(cut)).rejects.toThrow('the log was cut');
  });
});

describe('slicesOf', () => {
  it('cuts into slices of one length, the last of which may be shorter', () => {
    expect([slicesOf([], 2), slicesOf([1, 2, 3], 2), slicesOf([1, 2], 2)]).toEqual([[], [[1, 2], [3]], [[1, 2]]]);
  });
});

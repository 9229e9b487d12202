import { instanceBoardConformance } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryRegistry } from '../auth/memory-registry.js';
import { createOpenState } from '../base/options/open-state.js';
import { createDurableLedger, type DurableLedgerEngine } from './durable-ledger.js';
import { createInstanceBoard, type InstanceBoardEngine } from './instance-board.js';

function memoryBoard(): InstanceBoardEngine {
  const rows = new Map<string, { readonly seenAtMs: number; readonly text: string }>();
  const texts = (sinceMs: number) =>
    [...rows.values()].filter(({ seenAtMs }) => seenAtMs >= sinceMs).map(({ text }) => text);
  return {
    beat({ id, ...row }, beforeMs) {
      rows.set(id, row);
      for (const [other, { seenAtMs }] of rows) if (seenAtMs < beforeMs) rows.delete(other);
      return texts(beforeMs);
    },
    living: texts,
  };
}

instanceBoardConformance({
  describe,
  it,
  create() {
    const board = createInstanceBoard(memoryBoard(), { interceptor: createOpenState(), schema: 4 });
    return Promise.resolve({ board, dispose: () => Promise.resolve() });
  },
});

describe('setting a budget', () => {
  const budget = {
    organizationId: 'acme',
    id: 'team',
    limit: 1n,
    limitReset: null,
    mode: 'enforce',
    createdAtMs: 1,
  } as const;

  /** Ledgers of processes of these versions over one storage. */
  function processes(...versions: (number | undefined)[]) {
    const [instances, apiKeys] = [memoryBoard(), createMemoryRegistry([])];
    return versions.map((schemaVersion) => {
      const engine = { instances, apiKeys, schemaVersion, requests: { texts: {} }, close: () => undefined };
      return createDurableLedger(engine as unknown as DurableLedgerEngine);
    });
  }

  const tell = (name: string, agoMs = 0) => {
    const atMs = Date.now() - agoMs;
    return { id: `id-of-${name}`, name, startedAtMs: atMs, seenAtMs: atMs };
  };

  it('is refused while an older process lives, which is named', async () => {
    const [now, old, older] = processes(4, 3, 2);
    await now!.instances.beat(tell('new'));
    expect(await now!.apiKeys.setBudget(budget)).toEqual(budget);
    await old!.instances.beat(tell('old'));
    await older!.instances.beat(tell('older'));
    const reason = 'schema_window_open';
    const message = expect.stringMatching(
      /: older \(id-of-older\), old \(id-of-old\)$|: old \(id-of-old\), older \(id-of-older\)$/,
    );
    await expect(now!.apiKeys.setBudget({ ...budget, limit: 2n })).rejects.toMatchObject({ reason, message });
    expect(await now!.apiKeys.findBudget('acme', 'team')).toEqual(budget);
  });

  it('is refused while a process lives whose version is not known', async () => {
    const [now, unknown] = processes(4, undefined);
    await unknown!.instances.beat(tell('unknown'));
    await expect(now!.apiKeys.setBudget(budget)).rejects.toMatchObject({ reason: 'schema_window_open' });
  });

  it('is possible once older processes have not told for a minute', async () => {
    const [now, old] = processes(4, 3);
    await old!.instances.beat(tell('old', 60_500));
    expect(await now!.apiKeys.setBudget(budget)).toEqual(budget);
  });

  it('is refused when the ledger is closed', async () => {
    const [now] = processes(4);
    await now!.close();
    await expect(now!.apiKeys.setBudget(budget)).rejects.toMatchObject({ reason: 'ledger_closed' });
  });
});

import assert from 'node:assert/strict';
import type { Instance, InstanceBoard } from '@searchgate/core/ledger';
import { type TestRunner, testsOf } from './test-runner.js';

/** The board under test, and the test runner. */
export interface InstanceBoardConformanceOptions extends TestRunner {
  /** Called once per test: an empty board. */
  readonly create: () => Promise<{ readonly board: InstanceBoard; readonly dispose: () => Promise<void> }>;
}

const instanceOf = (id: string, startedAtMs: number, seenAtMs: number): Instance => ({
  id,
  name: `Knoten Ä ${id}`,
  startedAtMs,
  seenAtMs,
});

/** What a process told, without the version that the board adds. */
function told({ schema, ...instance }: Instance): Instance {
  assert.equal(typeof schema, 'number');
  return instance;
}

/** What every `InstanceBoard` does: it lists who was seen in the last minute, each once, in the order of their starts. */
export function instanceBoardConformance({ describe, it, create }: InstanceBoardConformanceOptions): void {
  describe('instances', () => {
    testsOf(it, create)(
      'lists those that live, each with its latest sign of life, and neither shows nor keeps the others after a minute',
      async ({ board }) => {
        const beat = async (instance: Instance) => (await board.beat(instance)).map(told);
        const living = async (nowMs: number) => (await board.living(nowMs)).map(told);
        const [first, second] = [instanceOf('b', 1_000, 100_000), instanceOf('a', 2_000, 101_000)];
        assert.deepEqual(await living(100_000), []);
        assert.deepEqual(await beat(first), [first]);
        assert.deepEqual(await beat(second), [first, second]);
        assert.deepEqual(await living(160_000), [first, second]);
        assert.deepEqual(await living(160_001), [second]);
        assert.deepEqual(await living(161_001), []);
        const again = { ...first, seenAtMs: 110_000 };
        assert.deepEqual(await beat(again), [again, second]);
        const later = { ...first, seenAtMs: 161_001 };
        assert.deepEqual(await beat(later), [later]);
      },
    );
  });
}

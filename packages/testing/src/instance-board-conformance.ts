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

/** Those that live, without the version of the schema, which the board adds. */
async function beat(board: InstanceBoard, instance: Instance): Promise<Instance[]> {
  const living = await board.beat(instance);
  return living.map(({ schema, ...told }) => {
    assert.equal(typeof schema, 'number');
    return told;
  });
}

/** What every `InstanceBoard` does: it lists who was seen in the last minute, each once, in the order of their starts. */
export function instanceBoardConformance({ describe, it, create }: InstanceBoardConformanceOptions): void {
  describe('instances', () => {
    testsOf(it, create)(
      'lists those that live, each with its latest sign of life, and forgets the others after a minute',
      async ({ board }) => {
        const [first, second] = [instanceOf('b', 1_000, 100_000), instanceOf('a', 2_000, 101_000)];
        assert.deepEqual(await beat(board, first), [first]);
        assert.deepEqual(await beat(board, second), [first, second]);
        const again = { ...first, seenAtMs: 110_000 };
        assert.deepEqual(await beat(board, again), [again, second]);
        const later = { ...first, seenAtMs: 161_001 };
        assert.deepEqual(await beat(board, later), [later]);
      },
    );
  });
}

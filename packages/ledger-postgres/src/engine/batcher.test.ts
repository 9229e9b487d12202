import { describe, expect, it } from 'vitest';
import { createBatcher } from './batcher.js';

const transient = new Error('the connection is lost');
const isTransient = (error: unknown) => error === transient;

/** An engine whose batches end when the test says so. */
function startEngine() {
  const batches: { readonly operations: readonly number[]; readonly end: (error?: Error) => void }[] = [];
  const send = (operations: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      const end = (error?: Error) =>
        error === undefined ? resolve(operations.map((operation) => operation * 10)) : reject(error);
      batches.push({ operations, end });
    });
  const sentBatch = async (index: number) => {
    await expect.poll(() => batches.length).toBeGreaterThan(index);
    return batches[index] as (typeof batches)[number];
  };
  return { batches, send, sentBatch };
}

describe('createBatcher', () => {
  it('sends an operation that comes alone at once, and those that come before its answer together', async () => {
    const { batches, send, sentBatch } = startEngine();
    const batcher = createBatcher(send, 100, isTransient);
    const answers = [1, 2, 3].map((operation) => batcher.submit(operation));
    expect(batches.map(({ operations }) => operations)).toEqual([[1]]);
    batches[0]?.end();
    expect((await sentBatch(1)).operations).toEqual([2, 3]);
    batches[1]?.end();
    expect(await Promise.all(answers)).toEqual([10, 20, 30]);
    expect(batches).toHaveLength(2);
  });

  it('sends no more at once than a batch may hold', async () => {
    const { batches, send, sentBatch } = startEngine();
    const batcher = createBatcher(send, 2, isTransient);
    const answers = [1, 2, 3, 4].map((operation) => batcher.submit(operation));
    for (let index = 0; index < 3; index += 1) (await sentBatch(index)).end();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40]);
    expect(batches.map(({ operations }) => operations)).toEqual([[1], [2, 3], [4]]);
  });

  it('rejects all of a batch when the connection has failed', async () => {
    const { batches, send, sentBatch } = startEngine();
    const batcher = createBatcher(send, 100, isTransient);
    const answers = Promise.allSettled([1, 2, 3].map((operation) => batcher.submit(operation)));
    batches[0]?.end();
    (await sentBatch(1)).end(transient);
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(batches).toHaveLength(2);
  });

  it('tries each operation by itself when one of them has failed', async () => {
    const choking = async (operations: readonly number[]) => {
      if (operations.includes(3)) throw new Error('cannot digest 3');
      return operations;
    };
    const batcher = createBatcher(choking, 100, isTransient);
    const answers = await Promise.allSettled([1, 2, 3, 4].map((operation) => batcher.submit(operation)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('goes on after a failure', async () => {
    const { batches, send, sentBatch } = startEngine();
    const batcher = createBatcher(send, 100, isTransient);
    const failing = Promise.allSettled([batcher.submit(1)]);
    batches[0]?.end(transient);
    expect(await failing).toEqual([{ status: 'rejected', reason: transient }]);
    const next = batcher.submit(2);
    (await sentBatch(1)).end();
    expect(await next).toBe(20);
  });
});

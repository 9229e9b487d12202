import { describe, expect, it } from 'vitest';
import { createLane } from './lane.js';

const transient = new Error('the connection is lost');
const mayPass = (error: unknown) => error === transient;

/** An engine whose batches end when the test says so. */
function startEngine() {
  const batches: { readonly verbs: readonly number[]; readonly end: (error?: Error) => void }[] = [];
  const send = (verbs: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      const end = (error?: Error) => (error === undefined ? resolve(verbs.map((verb) => verb * 10)) : reject(error));
      batches.push({ verbs, end });
    });
  const sentBatch = async (index: number) => {
    await expect.poll(() => batches.length).toBeGreaterThan(index);
    return batches[index] as (typeof batches)[number];
  };
  return { batches, send, sentBatch };
}

describe('createLane', () => {
  it('sends a verb that comes alone at once, and those that come meanwhile together', async () => {
    const { batches, send, sentBatch } = startEngine();
    const lane = createLane(send, 100, mayPass);
    const answers = [1, 2, 3].map((verb) => lane.submit(verb));
    expect(batches.map(({ verbs }) => verbs)).toEqual([[1]]);
    batches[0]?.end();
    expect((await sentBatch(1)).verbs).toEqual([2, 3]);
    batches[1]?.end();
    expect(await Promise.all(answers)).toEqual([10, 20, 30]);
    await lane.idle();
    expect(batches).toHaveLength(2);
  });

  it('sends no more at once than a batch may hold', async () => {
    const { batches, send, sentBatch } = startEngine();
    const lane = createLane(send, 2, mayPass);
    const answers = [1, 2, 3, 4].map((verb) => lane.submit(verb));
    for (let index = 0; index < 3; index += 1) (await sentBatch(index)).end();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40]);
    expect(batches.map(({ verbs }) => verbs)).toEqual([[1], [2, 3], [4]]);
  });

  it('tells all of a batch when the connection is to blame', async () => {
    const { batches, send, sentBatch } = startEngine();
    const lane = createLane(send, 100, mayPass);
    const answers = Promise.allSettled([1, 2, 3].map((verb) => lane.submit(verb)));
    batches[0]?.end();
    (await sentBatch(1)).end(transient);
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(batches).toHaveLength(2);
  });

  it('tries each verb by itself when one of them is to blame', async () => {
    const choking = async (verbs: readonly number[]) => {
      if (verbs.includes(3)) throw new Error('cannot digest 3');
      return verbs;
    };
    const lane = createLane(choking, 100, mayPass);
    const answers = await Promise.allSettled([1, 2, 3, 4].map((verb) => lane.submit(verb)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('is idle once all is answered, also after a failure', async () => {
    const { batches, send } = startEngine();
    const lane = createLane(send, 100, mayPass);
    await lane.idle();
    const failing = Promise.allSettled([lane.submit(1)]);
    const idle = lane.idle();
    batches[0]?.end(transient);
    expect(await failing).toEqual([{ status: 'rejected', reason: transient }]);
    await idle;
    const next = lane.submit(2);
    batches[1]?.end();
    expect(await next).toBe(20);
  });
});

import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createLatencies } from './latencies.js';

const SECOND = 1_000;
/** Numbers that look random, the same ones in every run. */
function pseudoRandom(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function start(random = pseudoRandom()) {
  const clock = createFakeClock();
  const latencies = createLatencies({ clock, random });
  const paused = new Set<string>();
  const about = { nameOf: (slug: string) => slug, isUsable: (slug: string) => !paused.has(slug) };
  const sort = (...slugs: string[]) => latencies.sort(slugs, about);
  /** Makes calls, one every so often: each takes the first model, which answers in its time. @returns who was asked. */
  const call = async (times: number, takesMs: Record<string, number>, everyMs = SECOND): Promise<string[]> => {
    const asked: string[] = [];
    for (let index = 0; index < times; index += 1) {
      await clock.advance(everyMs);
      const [first = ''] = sort(...Object.keys(takesMs));
      latencies.record(first, takesMs[first] ?? 0);
      asked.push(first);
    }
    return asked;
  };
  return { clock, latencies, paused, sort, call };
}

const shareOf = (slug: string, asked: readonly string[]) => asked.filter((each) => each === slug).length / asked.length;

describe('the median latency of a model', () => {
  it('is the duration that half of its latest durations do not exceed', () => {
    const { latencies } = start();
    for (const durationMs of [300, 100, 900, 200, 400]) latencies.record('a', durationMs);
    expect(latencies.medianMs('a')).toBe(300);
    expect(latencies.medianMs('b')).toBeUndefined();
  });

  it('uses the latest sixteen durations, so that a new level counts after nine', () => {
    const { latencies } = start();
    for (let index = 0; index < 16; index += 1) latencies.record('a', 100);
    for (let index = 0; index < 7; index += 1) latencies.record('a', 900);
    expect(latencies.medianMs('a')).toBe(100);
    for (let index = 0; index < 2; index += 1) latencies.record('a', 900);
    expect(latencies.medianMs('a')).toBe(900);
  });

  it('weighs older durations less, and ignores them after five minutes', async () => {
    const { latencies, clock } = start();
    for (let index = 0; index < 3; index += 1) latencies.record('a', 900);
    await clock.advance(20 * SECOND);
    latencies.record('a', 100);
    expect(latencies.medianMs('a')).toBe(100);
    await clock.advance(300 * SECOND);
    expect(latencies.medianMs('a')).toBeUndefined();
  });
});

describe('models sorted by latency', () => {
  it('come fastest first, models without a median last, in the listed order', () => {
    const { latencies, sort } = start();
    for (const [slug, durationMs] of [
      ['a', 300],
      ['b', 100],
      ['d', 200],
    ] as const)
      latencies.record(slug, durationMs);
    expect(sort('c', 'a', 'e', 'b', 'd')).toEqual(['b', 'd', 'a', 'c', 'e']);
    expect(sort()).toEqual([]);
    expect(sort('c')).toEqual(['c']);
  });

  it('begin with another model about once in twenty calls, each of the others in turn', async () => {
    const { call } = start();
    const asked = await call(4_000, { a: 100, b: 200, c: 300 });
    expect(shareOf('a', asked)).toBeGreaterThan(0.94);
    expect(shareOf('a', asked)).toBeLessThan(0.96);
    expect(shareOf('b', asked)).toBeCloseTo(shareOf('c', asked), 2);
  });

  it('begin with another model also if callers of different groups alternate', () => {
    const { latencies, sort } = start();
    for (const [slug, durationMs] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      latencies.record(slug, durationMs);
    const probed = new Set(Array.from({ length: 400 }, (_, index) => sort('a', index % 2 === 0 ? 'b' : 'c')[0]));
    expect(probed).toEqual(new Set(['a', 'b', 'c']));
  });

  it('begin with each of the others in turn also if their failures record nothing', () => {
    const { latencies, sort } = start();
    latencies.record('a', 100);
    const probed = new Set(Array.from({ length: 200 }, () => sort('a', 'b', 'c')[0]));
    expect(probed).toEqual(new Set(['a', 'b', 'c']));
  });

  it('begin with a paused model as soon as its pause ends', async () => {
    const { call, paused } = start();
    await call(20, { a: 100, b: 900 });
    paused.add('b');
    expect(shareOf('a', await call(100, { a: 100, b: 900 }))).toBe(1);
    paused.delete('b');
    expect(await call(1, { a: 100, b: 900 })).toEqual(['b']);
  });

  it('keep every model in the list', () => {
    const { sort } = start();
    for (let index = 0; index < 100; index += 1) expect(new Set(sort('a', 'b', 'c')).size).toBe(3);
  });

  it('find the faster model without records at first', async () => {
    const { call } = start();
    await call(60, { slow: 900, fast: 100 });
    expect(shareOf('fast', await call(200, { slow: 900, fast: 100 }))).toBeGreaterThan(0.9);
  });

  describe.each([
    ['one call a second', SECOND],
    ['ten calls a second', SECOND / 10],
    ['a hundred calls a second', SECOND / 100],
  ])('with %s', (_what, everyMs) => {
    it.each([1, 2, 3, 4, 5])('leave a model that becomes slow within twenty calls, in history %i', async (seed) => {
      const { call } = start(pseudoRandom(seed));
      await call(500, { a: 300, b: 500, c: 700 }, everyMs);
      const asked = await call(200, { a: 5_000, b: 500, c: 700 }, everyMs);
      expect(asked.slice(0, 20)).toContain('b');
      expect(shareOf('a', asked.slice(20))).toBeLessThan(0.05);
    });

    it.each([1, 2, 3, 4, 5])('return to a model that recovers within a minute, in history %i', async (seed) => {
      const { call } = start(pseudoRandom(seed));
      await call(500, { a: 300, b: 500, c: 700 }, everyMs);
      await call(200, { a: 5_000, b: 500, c: 700 }, everyMs);
      await call((60 * SECOND) / everyMs, { a: 300, b: 500, c: 700 }, everyMs);
      expect(shareOf('a', await call(200, { a: 300, b: 500, c: 700 }, everyMs))).toBeGreaterThan(0.9);
    });
  });

  it('return to a model that recovers also with a constant random number', async () => {
    const { call } = start(() => 0.5);
    await call(30, { a: 5_000, b: 500 });
    expect(shareOf('a', await call(60, { a: 300, b: 500 }))).toBeGreaterThan(0.3);
  });

  it('have a 95th percentile with 20 records of the last five minutes', async () => {
    const clock = createFakeClock();
    const latencies = createLatencies({ clock, random: () => 0.5 });
    for (let durationMs = 19; durationMs >= 1; durationMs -= 1) latencies.record('exa/answer', durationMs);
    expect(latencies.percentile95Ms('exa/answer')).toBeUndefined();
    latencies.record('exa/answer', 20_000);
    expect(latencies.percentile95Ms('exa/answer')).toBe(19);
    latencies.record('exa/answer', 20_000);
    expect(latencies.percentile95Ms('exa/answer')).toBe(20_000);
    await clock.advance(300_000);
    expect(latencies.percentile95Ms('exa/answer')).toBeUndefined();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loginTries } from './login-tries.js';

/** Random numbers that every run repeats. */
function repeatable(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** As long as a check of a password with scrypt. */
const CHECK_MS = 200;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function start(seed = 1) {
  const tries = loginTries({ now: () => Date.now(), random: repeatable(seed) });
  const state = { atOnce: 0, most: 0, checked: 0 };
  const tryFrom = async (address: string, isRight = false): Promise<'in' | 'wrong' | 'refused' | 'too many'> => {
    const begun = tries(address);
    if (begun === null) return 'too many';
    const result = await begun(async () => {
      state.most = Math.max(state.most, (state.atOnce += 1));
      state.checked += 1;
      await pass(CHECK_MS);
      state.atOnce -= 1;
      return isRight;
    });
    return result === null ? 'refused' : result ? 'in' : 'wrong';
  };
  return { state, tryFrom };
}

const MINUTE_MS = 60_000;
const network = (number: number, wide = number) => `2001:${wide.toString(16)}:7:${number.toString(16)}::1`;

describe('loginTries', () => {
  it('counts per address or IPv6 network, and anew every minute', async () => {
    const { tryFrom } = start();
    const tries = async (address: (index: number) => string) => {
      const outcomes: string[] = [];
      for (let index = 0; index < 20; index += 1) {
        const outcome = tryFrom(address(index));
        await advance(CHECK_MS);
        outcomes.push(await outcome);
      }
      return outcomes.filter((outcome) => outcome === 'wrong').length;
    };
    expect(await tries(() => '192.0.2.1')).toBe(10);
    expect(await tries((index) => `2001:db8::${index}`)).toBe(10);
    await advance(MINUTE_MS);
    expect(await tries(() => '192.0.2.1')).toBe(10);
  });

  it.each([
    ['new networks of 64 bits in one of 48', (index: number) => network(index % 65_536, 1), 1, 2],
    ['new networks of 48 bits', (index: number) => network(7, index), 1, 3],
    ['the same hundred addresses', (index: number) => `203.0.113.${index % 100}`, 1, 2],
    ['new networks of 48 bits, after two wrong passwords', (index: number) => network(7, index), 3, 10],
  ])(
    'lets a right password in within a few tries, against 11 wrong ones a second from %s',
    async (_, from, typed, average) => {
      const { state, tryFrom } = start(typed);
      const needed: number[] = [];
      const isRunning = { value: true };
      const operator = async () => {
        for (let number = 0; isRunning.value; number += 1) {
          for (let tries = 1; ; tries += 1) {
            const outcome = await tryFrom(`198.51.${number % 256}.7`, tries >= typed);
            if (outcome === 'in') needed.push(tries);
            if (outcome === 'in' || outcome === 'too many') break;
            await pass(2_000);
          }
        }
      };
      void operator();
      const attack = 11 * 600;
      for (let index = 0; index < attack; index += 1) {
        void tryFrom(from(index));
        await advance(1_000 / 11);
      }
      isRunning.value = false;
      expect(needed.length).toBeGreaterThan(20);
      expect(needed.reduce((sum, tries) => sum + tries, 0) / needed.length).toBeLessThan(average);
      expect(Math.max(...needed)).toBeLessThan(25);
      expect([state.most, state.checked <= (10 * MINUTE_MS) / CHECK_MS + 1]).toEqual([1, true]);
    },
  );

  it('lets a network in first that has logged in before', async () => {
    const { tryFrom } = start();
    const first = tryFrom('192.0.2.1', true);
    await advance(CHECK_MS);
    expect(await first).toBe('in');
    for (let index = 0; index < 1_000; index += 1) void tryFrom(network(index));
    const again = Array.from({ length: 5 }, () => tryFrom('192.0.2.1', true));
    for (let index = 1_000; index < 2_000; index += 1) void tryFrom(network(index));
    await advance(6 * CHECK_MS);
    expect(await Promise.all(again)).toEqual(['in', 'in', 'in', 'in', 'in']);
  });
});

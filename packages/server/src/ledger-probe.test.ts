import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ledgerProbe } from './ledger-probe.js';

describe('ledgerProbe', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('says whether the ledger answers', async () => {
    expect(await ledgerProbe(() => Promise.resolve())()).toBe('reachable');
    expect(await ledgerProbe(() => Promise.reject(new Error('gone')))()).toBe('ledger_unreachable');
  });

  it('asks the ledger at most once a second, however many checks there are', async () => {
    const look = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const probe = ledgerProbe(look);
    await Promise.all(Array.from({ length: 100 }, probe));
    vi.advanceTimersByTime(999);
    await probe();
    expect(look).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    await probe();
    expect(look).toHaveBeenCalledTimes(2);
  });

  it('gives up after 2 s, and does not ask a hanging ledger again before it answers', async () => {
    let answer = (): void => undefined;
    const look = vi.fn<() => Promise<void>>(() => new Promise<void>((resolve) => (answer = resolve)));
    const probe = ledgerProbe(look);
    const first = probe();
    vi.advanceTimersByTime(2_000);
    expect(await first).toBe('ledger_timeout');
    vi.advanceTimersByTime(3_600_000);
    expect(await probe()).toBe('ledger_timeout');
    expect(look).toHaveBeenCalledTimes(1);

    answer();
    await vi.advanceTimersByTimeAsync(1_000);
    const second = probe();
    answer();
    expect(await second).toBe('reachable');
    expect(look).toHaveBeenCalledTimes(2);
  });
});

import { type Ledger, memoryLedger } from '@searchgate/core';
import { DAY_MS, type FillSize, fillKey, fillOrganization } from './fill-size.js';

const CREDITS = 1_000_000_000_000_000n;

/** A ledger in memory whose clock stands at the moment of the entry that is written, and goes on from today once it is full. */
export function fillableMemory(): { ledger: Ledger; fill(size: FillSize): Promise<void> } {
  let setMs: number | undefined;
  const clock = {
    now: () => setMs ?? Date.now(),
    monotonic: () => performance.now(),
    schedule(delayMs: number, callback: () => void) {
      const timer = setTimeout(callback, delayMs).unref();
      return () => clearTimeout(timer);
    },
  };
  const ledger = memoryLedger({ clock });

  async function fill({ entries, days, keys, organizations, models }: FillSize): Promise<void> {
    const endMs = Date.now();
    const firstMs = (Math.floor(endMs / DAY_MS) - days + 1) * DAY_MS;
    setMs = firstMs;
    for (let index = 0; index < organizations; index += 1) {
      const organizationId = fillOrganization(index);
      await ledger.grant({ grantId: `grant-${index}`, organizationId, amount: CREDITS, note: 'benchmark' });
    }
    for (let index = 0; index < entries; index += 1) {
      setMs = firstMs + Math.floor((index / entries) * (endMs - firstMs));
      const key = index % keys;
      const model = `exa/model-${Math.floor(index / keys) % models}`;
      const holdId = `fill-${index}`;
      const owner = { organizationId: fillOrganization(key), keyId: fillKey(key), keyLimit: null };
      await ledger.hold({ holdId, ...owner, amount: 1_000_000n, expiresAtMs: endMs + DAY_MS, model });
      await ledger.settle(holdId, { cost: 1_000_000n, model, provider: 'exa', costSource: 'reported' });
    }
    setMs = undefined;
  }

  return { ledger, fill };
}

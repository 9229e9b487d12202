import { createFakeClock } from '@searchgate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSemaphore } from './fair-shares.js';
import { createUnsentReplies, type Delivery, type Reply } from './unsent-replies.js';

const MAX_BYTES = 1_000_000;
const SECOND = 1_000;

const deliveryOf = (bytes: number) => ({
  bufferedBytes: bytes,
  writtenBytes: bytes,
  isBehindOther: false,
  isOver: false,
  isDestroyed: false,
  destroy() {
    this.isDestroyed = true;
  },
});

function start(maxBytes = MAX_BYTES) {
  const clock = createFakeClock();
  const replies = createUnsentReplies({ clock, maxBytes });
  const slots = createSemaphore({ total: 1_000, perOrganization: 1_000 });

  /** A response of which `unsentBytes` wait, of a call that has ended. */
  function reply(unsentBytes: number, organizationId = 'acme') {
    const delivery = deliveryOf(unsentBytes);
    const opened = replies.open();
    opened.organizationId = organizationId;
    slots.take(organizationId);
    opened.watch(delivery);
    opened.end(slots);
    return { delivery, reply: opened };
  }
  return { clock, replies, slots, reply };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const refused = expect.objectContaining({ reason: 'overloaded', retryAfterMs: 1_000 }) as Error;

describe('a response that waits', () => {
  it.each<[string, (delivery: Writable<Delivery>, second: number) => void, boolean]>([
    ['nothing', () => undefined, true],
    ['a byte now and then', (delivery) => (delivery.bufferedBytes -= 1), true],
    ['8 kB in 31 s', (delivery) => (delivery.bufferedBytes -= 8_192 / 31), true],
    ['8 kB in 29 s', (delivery) => (delivery.bufferedBytes -= 8_192 / 29), false],
    ['bursts every 28 s', (delivery, second) => second % 28 === 0 && (delivery.bufferedBytes -= 60_000), false],
    ['40 kB/s, in bursts', (d, second) => second % 40 === 6 && (d.bufferedBytes -= 1_600_000), false],
    ['a burst, then nothing', (d, second) => second === 6 && (d.bufferedBytes -= 1_600_000), true],
    ['much at once, then nothing', (d, second) => second < 3 && (d.bufferedBytes -= 9_000_000), true],
    ['nothing, while earlier responses go first', (delivery) => (delivery.isBehindOther = true), false],
    ['a small stream that it empties', (d, second) => ((d.bufferedBytes = second % 20 === 0 ? 0 : 10), d), false],
    ['as much as is written', (delivery) => (delivery.writtenBytes += 1_000), false],
    ['less than is written', (d) => ((d.writtenBytes += 1_000), (d.bufferedBytes += 999)), true],
  ])('to a caller who reads %s', async (_name, read, isEnded) => {
    const { clock, slots, reply } = start(10 * MAX_BYTES);
    const { delivery } = reply(20 * MAX_BYTES);
    for (let second = 1; second <= 300 && !delivery.isDestroyed; second += 1) {
      read(delivery, second);
      await clock.advance(SECOND);
    }
    expect([delivery.isDestroyed, slots.held]).toEqual([isEnded, isEnded ? 0 : 1]);
    // Not before its time.
    expect(clock.monotonic()).toBeGreaterThanOrEqual(30 * SECOND);
  });

  it('is not ended while it waits for its provider', async () => {
    const { clock, replies } = start();
    const delivery = deliveryOf(0);
    replies.open().watch(delivery);
    await clock.advance(600 * SECOND);
    expect(delivery.isDestroyed).toBe(false);
  });

  it('gives its slot back, and stays open, where the host never writes it', async () => {
    const { clock, slots, reply } = start();
    const { delivery } = reply(0);
    await clock.advance(29 * SECOND);
    expect(slots.held).toBe(1);
    await clock.advance(2 * SECOND);
    expect([slots.held, delivery.isDestroyed, clock.pendingTimers]).toEqual([0, false, 0]);
  });
});

describe('unsent bytes', () => {
  it('above the first bound refuse further calls of their organization, until they are read', () => {
    const { replies, reply } = start();
    const { delivery } = reply(MAX_BYTES + 1);
    expect(() => replies.check('acme')).toThrow(refused);
    expect(() => replies.check('globex')).not.toThrow();
    delivery.bufferedBytes = MAX_BYTES;
    expect(() => replies.check('acme')).not.toThrow();
  });

  it('above the second bound end the response that has stood still longest, and no other', async () => {
    const { clock, reply } = start();
    const slow = reply(MAX_BYTES);
    await clock.advance(SECOND);
    const other = reply(MAX_BYTES, 'globex');
    const fast = reply(MAX_BYTES);
    expect(slow.delivery.isDestroyed).toBe(false);
    const last = reply(1);
    await clock.advance(SECOND);
    expect([slow, other, fast, last].map(({ delivery }) => delivery.isDestroyed)).toEqual([true, false, false, false]);
  });

  it('of all organizations together end responses of the one with the most', async () => {
    const { clock, reply } = start();
    const small = ['a', 'b', 'c', 'd'].map((organizationId) => reply(0.7 * MAX_BYTES, organizationId));
    const large = reply(1.5 * MAX_BYTES);
    await clock.advance(2 * SECOND);
    expect([...small, large].map(({ delivery }) => delivery.isDestroyed)).toEqual([false, false, false, false, true]);
  });

  it('of a single response do not end it', async () => {
    const { clock, reply } = start();
    const { delivery } = reply(3 * MAX_BYTES);
    await clock.advance(20 * SECOND);
    expect(delivery.isDestroyed).toBe(false);
  });

  it('of responses that have just been written are not ended: their callers had no time to read', () => {
    const { reply } = start();
    const all = Array.from({ length: 10 }, () => reply(MAX_BYTES));
    expect(all.filter(({ delivery }) => delivery.isDestroyed)).toEqual([]);
  });
});

it('every slot comes back once, and no timer stays, in whatever order a response ends', async () => {
  const steps = fc.shuffledSubarray(['watch', 'end', 'over', 'over again', 'gone', 'wait'] as const);
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 20 }), fc.nat(100_000), async (histories, unsentBytes) => {
      const { clock, replies } = start();
      let freed = 0;
      const slot = { free: () => void (freed += 1) };
      const all: Reply[] = [];
      for (const history of histories) {
        const reply = replies.open();
        all.push(reply);
        const delivery = deliveryOf(unsentBytes);
        for (const step of history) {
          if (step === 'watch') reply.watch(delivery);
          else if (step === 'end') reply.end(slot);
          else if (step === 'gone') delivery.isOver = true;
          else if (step === 'wait') await clock.advance(SECOND);
          else reply.over();
        }
        if (!history.includes('end')) reply.end(slot);
        // The host's part of the contract.
        if (!history.includes('watch') && !history.includes('over')) reply.over();
      }
      await clock.advance(40 * SECOND);
      expect([freed, clock.pendingTimers]).toEqual([all.length, 0]);
    }),
  );
});

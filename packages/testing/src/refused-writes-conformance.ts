import assert from 'node:assert/strict';
import { createGateway } from '@searchgate/core';
import type { DurableLedger } from '@searchgate/core/ledger';
import { createFakeClock } from './fake-clock.js';
import { fakeProvider } from './fake-provider.js';
import { grantOf } from './ledger/requests.js';
import { type TestRunner, testsOf } from './test-runner.js';

/** A ledger whose engine can be made to refuse what is written, and still be read: a full disk, a standby. */
export interface RefusedWritesUnderTest {
  /** Empty, used by this test alone. */
  readonly ledger: DurableLedger;
  /** From now on the storage refuses every write, as a full disk does. */
  refuseWrites(): Promise<void>;
  /** The storage takes writes again. */
  allowWrites(): Promise<void>;
  /** Cleans up, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** The ledger under test, and the test runner. */
export interface RefusedWritesConformanceOptions extends TestRunner {
  /** Called once per test. */
  readonly create: () => Promise<RefusedWritesUnderTest>;
}

const CALLER = { id: 'key-1', organizationId: 'acme', limit: null };
/** Longer than the gateway's 5 s between probes, and than the 10 s for which a failed hold counts. */
const NEXT_PROBE_MS = 10_000;
const MAX_LOOKS = 500;

/** What a gateway tells of a ledger that can be read and not written: by a probe that leaves nothing behind, before a call has to fail. */
export function refusedWritesConformance({ describe, it, create }: RefusedWritesConformanceOptions): void {
  const test = (name: string, body: (under: RefusedWritesUnderTest) => Promise<void>) =>
    testsOf(it, create)(name, async (under) => {
      try {
        await under.ledger.grant(grantOf({ amount: 10n ** 12n }));
        await body(under);
      } finally {
        await under.allowWrites();
      }
    });

  describe('an engine that refuses what is written', () => {
    test('is told by a probe, with the claims, and with the first call the request log; and is back by itself', async (under) => {
      const { gateway, clock, ask, down } = start(under.ledger);
      assert.deepEqual(await down(), []);
      await under.refuseWrites();
      await clock.advance(NEXT_PROBE_MS);
      assert.deepEqual(await down(), ['ledger', 'idempotency']);
      // It can be read all the time.
      assert.equal((await under.ledger.organizationTotals('acme')).credits, 10n ** 12n);
      await assert.rejects(ask, { reason: 'ledger_unavailable' });
      await clock.advance(1_000);
      await until(async () => (await down()).includes('request_log'));
      await under.allowWrites();
      await until(async () => {
        await clock.advance(NEXT_PROBE_MS);
        return (await down()).length === 0;
      });
      assert.equal((await ask()).model, 'fake/answer');
      await gateway.close();
    });

    test('leaves nothing behind by its probes', async ({ ledger }) => {
      const { gateway, clock, down } = start(ledger);
      const figures = async () => [
        await ledger.entries(),
        await ledger.usage({ by: 'key' }),
        (await ledger.audit()).openHolds,
      ];
      const before = await figures();
      const { keys, organizations } = await ledger.audit();
      for (let probe = 0; probe < 20; probe += 1) {
        assert.deepEqual(await down(), []);
        await clock.advance(NEXT_PROBE_MS);
      }
      assert.deepEqual(await figures(), before);
      const after = await ledger.audit();
      assert.ok(after.keys <= keys + 1 && after.organizations <= organizations + 1, 'one row of counters');
      assert.deepEqual(after.differences, []);
      await gateway.close();
    });
  });
}

function start(ledger: DurableLedger) {
  const clock = createFakeClock(Date.now());
  const gateway = createGateway({
    providers: [fakeProvider({ clock })],
    authenticate: () => null,
    // A sweep would seem to hang, whenever the clock is moved.
    expireHoldsEveryMs: 0,
    ledger,
    requestLog: { log: ledger.requests },
    clock,
    logger: { warn: () => undefined, error: () => undefined },
  });
  return {
    gateway,
    clock,
    ask: () => gateway.answer({ apiKey: CALLER, model: 'fake/answer', query: 'Who?' }),
    down: async () =>
      (await gateway.checkStores()).filter(({ downSinceMs }) => downSinceMs !== null).map(({ id }) => id),
  };
}

/** The engine takes real time. */
async function until(isReached: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if (await isReached()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('the state was not reached');
}

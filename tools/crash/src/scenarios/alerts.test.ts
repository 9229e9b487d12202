import { expect, it } from 'vitest';
import { type AlertReceiver, startAlertReceiver } from '../alert-receiver.js';
import { engineSuite } from '../engine-suite.js';
import type { GatewayProcess } from '../gateway-process.js';
import { onStage } from '../stage.js';
import { FLAT, PRICE_NANOS } from '../upstream-dialects.js';

const PROCESSES = 4;
const CALLS = 200;
const THRESHOLDS = ['0.8', '1'];
const ALL_CALLS = BigInt(CALLS * PRICE_NANOS);
const [ONE_CALL, TWO_CALLS] = [BigInt(PRICE_NANOS), BigInt(2 * PRICE_NANOS)];

await engineSuite('alerts', (engine) => {
  it('arrive once for each threshold that 200 calls over four processes pass', { timeout: 150_000 }, async () => {
    await withReceiver(async (receiver) => {
      await onStage({ engine }, async (stage) => {
        const key = await stage.account({ id: 'acme', credits: ALL_CALLS, limit: ALL_CALLS });
        const alerts = { url: receiver.url, thresholds: THRESHOLDS };
        const gateways = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start({ alerts })));
        const calls = Array.from({ length: CALLS }, (_, index) => {
          const call = { key, question: `${key.id} #${index}`, model: FLAT };
          return stage.call(gateways[index % PROCESSES] as GatewayProcess, call);
        });
        for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ status: 'answered' });

        // A stopping process first checks its last charges.
        await Promise.all(gateways.map((gateway) => gateway.stop()));
        const told = receiver.alerts.map(({ subject, threshold }) => `${subject} ${threshold}`).toSorted();
        expect(told).toEqual(['key 0.8', 'key 1', 'organization 0.8', 'organization 1']);
        expect((await stage.check()).problems).toEqual({});
      });
    });
  });
});

// Claims expire the same way in every store; here they take half a minute of real time.
await engineSuite(
  'alerts',
  (engine) => {
    it('of a process killed during delivery arrive from another process', { timeout: 150_000 }, async () => {
      await withReceiver(async (receiver) => {
        await onStage({ engine }, async (stage) => {
          const key = await stage.account({ id: 'acme', credits: TWO_CALLS });
          const alerts = { url: receiver.url, thresholds: ['0.5'] };
          const [doomed, other] = await Promise.all([stage.start({ alerts }), stage.start({ alerts })]);
          const answer = receiver.hold();
          expect(await stage.call(doomed, { key, question: `${key.id} first`, model: FLAT })).toMatchObject({
            status: 'answered',
            answer: { cost: ONE_CALL },
          });
          await receiver.received(1);
          await doomed.kill();
          answer();
          await stage.call(other, { key, question: `${key.id} second`, model: FLAT });
          await receiver.received(2);
          await other.stop();
          expect(new Set(receiver.alerts.map(({ alertId }) => alertId)).size).toBe(1);
          expect(receiver.alerts).toHaveLength(2);
        });
      });
    });
  },
  ['sqlite'],
);

async function withReceiver(play: (receiver: AlertReceiver) => Promise<void>): Promise<void> {
  const receiver = await startAlertReceiver();
  try {
    await play(receiver);
  } finally {
    await receiver.close();
  }
}

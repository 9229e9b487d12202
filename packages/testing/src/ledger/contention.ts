import assert from 'node:assert/strict';
import { type HoldRequest, type Ledger, LIMIT_RESETS } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { assertKey, assertOrganization } from './observe.js';
import { chargeOf, grantOf, holdOf } from './requests.js';

const CALLERS = 200;
const callers = Array.from({ length: CALLERS }, (_, index) => index);

/** Room for 10 holds of 10 nanodollars. */
interface Room {
  /** What refuses the others. */
  readonly by: string;
  /** Of the organization. Default: more than enough. */
  readonly credits?: bigint;
  /** The number of keys that ask. Default 1. */
  readonly keys?: number;
  readonly request?: Partial<HoldRequest>;
}

const limited = { keyLimit: 100n };
const rate = { requests: 10, periodMs: 86_400_000 };

const ROOMS: Readonly<Record<string, Room>> = {
  'the balance': { by: 'organization_credits', credits: 100n },
  'the balance for 20 keys': { by: 'organization_credits', credits: 109n, keys: 20, request: limited },
  'the limit of a key': { by: 'key_limit', request: limited },
  ...Object.fromEntries(
    LIMIT_RESETS.map((keyLimitReset): [string, Room] => [
      `the ${keyLimitReset} limit of a key`,
      { by: 'key_limit', request: { ...limited, keyLimitReset } },
    ]),
  ),
  'the limit of a key where the operator pays': {
    by: 'key_limit',
    credits: 0n,
    request: { ...limited, operatorPays: true },
  },
  'the slots of a key': { by: 'key_concurrency', request: { keyMaxConcurrent: 10 } },
  'the slots of 20 keys': { by: 'organization_concurrency', keys: 20, request: { organizationMaxConcurrent: 10 } },
  'the rate of a key': { by: 'key_rate', request: { keyRateLimit: rate } },
  'the rate of 20 keys': { by: 'organization_rate', keys: 20, request: { organizationRateLimit: rate } },
};

/** Sends 200 holds at once, through the given handles in turn, and asserts that exactly 10 are accepted. */
async function assertTenHeld(handles: readonly [Ledger, ...Ledger[]], room: Room): Promise<void> {
  const { by, credits = 10_000n, keys = 1, request } = room;
  const [ledger] = handles;
  await ledger.grant(grantOf({ amount: credits }));
  const results = await Promise.all(
    callers.map((index) => {
      const handle = handles[index % handles.length] ?? ledger;
      return handle.hold(holdOf({ holdId: `hold-${index}`, keyId: `key-${(index % keys) + 1}`, ...request }));
    }),
  );
  const refused = results.filter((result) => result.status === 'refused');
  assert.equal(results.length - refused.length, 10, 'exactly as many holds as there is room for');
  for (const refusal of refused) {
    assert.equal(refusal.by, by);
    const isBudget = by === 'organization_credits' || by === 'key_limit';
    assert.equal('fitsWithoutHolds' in refusal && refusal.fitsWithoutHolds, isBudget, 'worth trying again');
  }
  for (const handle of handles) await assertOrganization(handle, { credits, held: 100n });
  if (keys === 1) await assertKey(ledger, { held: 100n });
}

/**
 * Contention: checking and holding is one atomic step. 200 parallel holds against room for 10 yield exactly 10: with 11 money would be spent
 * that does not exist, with 9 money would stay unused. Through one handle and through several.
 */
export function registerContention({ funded, describe, test, testWith }: LedgerSuite): void {
  describe('200 holds at once against room for 10', () => {
    for (const [name, room] of Object.entries(ROOMS)) {
      test(`holds exactly 10 against ${name}`, ({ ledger }) => assertTenHeld([ledger], room));
      testWith('connect', `holds exactly 10 against ${name} through four handles`, async ({ ledger, connect }) => {
        const others = await Promise.all([connect(), connect(), connect()]);
        await assertTenHeld([ledger, ...others], room);
      });
    }

    funded(10_000n, 'charges 200 calls exactly when each holds, settles and makes room', async ({ ledger }) => {
      const endings = callers.map(async (index) => {
        const holdId = `hold-${index}`;
        await ledger.hold(holdOf({ holdId }));
        return index % 4 === 0 ? ledger.release(holdId, { reason: 'failed' }) : ledger.settle(holdId, chargeOf());
      });
      const charged = (await Promise.all(endings)).reduce((sum, { cost }) => sum + cost, 0n);
      assert.equal(charged, 7n * 150n);
      await assertOrganization(ledger, { credits: 10_000n, usage: charged });
      await assertKey(ledger, { usage: charged });
    });
  });
}

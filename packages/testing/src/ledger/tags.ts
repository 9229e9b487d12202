import assert from 'node:assert/strict';
import type { Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { untimedLog } from './observe.js';
import { chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';

/** Kinds and tags of a hold's log entries, in order. */
async function taggedEntries(ledger: Ledger): Promise<unknown[]> {
  const entries = (await untimedLog(ledger)).filter(({ kind }) => kind !== 'grant');
  return entries.map((entry) => ('tag' in entry ? [entry.kind, entry.tag] : [entry.kind]));
}

/** Tags: the tag of a hold is written with its charge and its losses, and nowhere else. */
export function registerTags({ funded, describe, test }: LedgerSuite): void {
  describe('tags', () => {
    funded(100n, 'writes the tag of a hold with its charge and its losses', async ({ ledger }) => {
      await ledger.hold(holdOf({ tag: 'team-a' }));
      await ledger.settle('hold-1', chargeOf({ losses: TWO_LOSSES }));
      const entries = (await taggedEntries(ledger)).map(String).sort();
      assert.deepEqual(entries, ['charge,team-a', 'loss,team-a', 'loss,team-a']);
    });

    funded(100n, 'writes the tag with the losses of a release', async ({ ledger }) => {
      await ledger.hold(holdOf({ tag: 'team-a' }));
      await ledger.release('hold-1', { ...RELEASE, losses: TWO_LOSSES });
      assert.deepEqual(await taggedEntries(ledger), [
        ['loss', 'team-a'],
        ['loss', 'team-a'],
      ]);
    });

    funded(100n, 'writes the tag with late endings, but not with the expiry', async (under) => {
      const { ledger, now } = under;
      await ledger.hold(holdOf({ holdId: 'hold-2', expiresAtMs: now(), tag: 'late' }));
      await ledger.expireHolds(now());
      await ledger.settle('hold-2', chargeOf());
      await ledger.hold(holdOf({ holdId: 'hold-3', expiresAtMs: now(), tag: 'lost' }));
      await ledger.expireHolds(now());
      await ledger.release('hold-3', { ...RELEASE, losses: TWO_LOSSES.slice(0, 1) });
      const entries = (await taggedEntries(ledger)).map(String).sort();
      assert.deepEqual(entries, ['charge,late', 'expired', 'expired', 'loss,lost']);
    });

    funded(100n, 'writes no tag for a hold without a tag', async ({ ledger }) => {
      await ledger.hold(holdOf());
      await ledger.settle('hold-1', chargeOf({ losses: TWO_LOSSES }));
      await ledger.hold(holdOf({ holdId: 'hold-2', tag: undefined }));
      await ledger.settle('hold-2', chargeOf());
      assert.deepEqual((await taggedEntries(ledger)).map(String).sort(), ['charge', 'charge', 'loss', 'loss']);
    });

    test('returns any tag unchanged', async ({ ledger }) => {
      const tags = [
        'x'.repeat(64),
        '\u{1f4b6}'.repeat(64),
        '\u{1F469}\u200d\u{1F680}',
        '\u2764\ufe0f',
        // Scotland's flag, and a black flag.
        '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} a \u{1f3f4}',
        'Überblick 2026',
        "it's",
        '%_\\',
        'NULL',
        '0',
        'e\u0301',
      ];
      await ledger.grant(grantOf());
      for (const [index, tag] of tags.entries()) {
        await ledger.hold(holdOf({ holdId: `hold-${index}`, tag }));
        await ledger.settle(`hold-${index}`, chargeOf());
      }
      assert.deepEqual(
        await taggedEntries(ledger),
        tags.map((tag) => ['charge', tag]),
      );
    });
  });
}

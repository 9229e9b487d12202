import assert from 'node:assert/strict';
import type { Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { untimedLog } from './observe.js';
import { chargeOf, grantOf, holdOf, TWO_LOSSES } from './requests.js';

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

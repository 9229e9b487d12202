import { registerBadArguments } from './ledger/bad-arguments.js';
import { registerBounds } from './ledger/bounds.js';
import { registerClosing } from './ledger/closing.js';
import { registerContention } from './ledger/contention.js';
import { registerDurability } from './ledger/durability.js';
import { registerEndings } from './ledger/endings.js';
import { registerExpiry } from './ledger/expiry.js';
import { registerGrants } from './ledger/grants.js';
import { registerHoldRecords } from './ledger/hold-records.js';
import { registerHolds } from './ledger/holds.js';
import { createLedgerSuite, type LedgerConformanceOptions } from './ledger/ledger-suite.js';
import { registerLog } from './ledger/log.js';
import { registerPlaces } from './ledger/places.js';
import { registerRandomHistories } from './ledger/random-histories.js';
import { registerRandomRaces } from './ledger/random-races.js';
import { registerRates } from './ledger/rates.js';
import { registerRefusals } from './ledger/refusals.js';
import { registerRemoval } from './ledger/removal.js';
import { registerTags } from './ledger/tags.js';
import { registerUsage } from './ledger/usage.js';
import { registerWindows } from './ledger/windows.js';

/**
 * The contract of `Ledger` as tests. Each part says what it proves; together they are every invariant of the port's documentation. A ledger needs
 * only its `create` to be tested, since all assertions and times are in here:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * ledgerConformance({ describe, it, create: createMyLedger, supports: { connections: true } });
 * ```
 *
 * Tests are independent of each other and may run concurrently. For an engine that needs longer than the runner's own time limit per
 * test, pass an `it` that sets one, and fewer `randomRuns`.
 */
export function ledgerConformance(options: LedgerConformanceOptions): void {
  const suite = createLedgerSuite(options);
  suite.describe('ledger contract', () => {
    registerGrants(suite);
    registerHolds(suite);
    registerRefusals(suite);
    registerContention(suite);
    registerPlaces(suite);
    registerRates(suite);
    registerWindows(suite);
    registerEndings(suite);
    registerExpiry(suite);
    registerBounds(suite);
    registerHoldRecords(suite);
    registerTags(suite);
    registerUsage(suite);
    registerLog(suite);
    registerBadArguments(suite);
    registerClosing(suite);
    registerDurability(suite);
    registerRemoval(suite);
    registerRandomHistories(suite);
    registerRandomRaces(suite);
  });
}

import {
  checkAdjustment,
  checkEntryQuery,
  checkExpiry,
  checkGrant,
  checkHoldRequest,
  checkKeyQuery,
  checkLedgerId,
  checkRelease,
  checkSettle,
  type DurableLedger,
} from '@searchgate/core/ledger';
import { createAccess } from './engine/access.js';
import { createConnection } from './engine/connection.js';
import { createSchemaCheck } from './engine/schema.js';
import { createForgetting } from './forget-old.js';
import { sqliteApiKeys } from './keys/sqlite-api-keys.js';
import { sqliteIdempotency } from './keys/sqlite-idempotency.js';
import { applyAdjustment, applyGrant } from './money/apply-grant.js';
import { auditLedger } from './money/audit-ledger.js';
import { releaseHold, settleHold } from './money/end-hold.js';
import { pageOfEntries } from './money/entry-page.js';
import { placeHold } from './money/place-hold.js';
import { readKeyBook, readOrganization } from './money/stored-totals.js';
import { totalsOfKey } from './money/totals.js';
import { readSqliteLedgerOptions, type SqliteLedgerOptions } from './sqlite-ledger-options.js';
import { sweep } from './sweep.js';

/** Money, API keys and idempotency in one SQLite file. */
export type SqliteLedger = DurableLedger;

/**
 * A ledger in one SQLite file on one machine, shared by as many processes as open it.
 *
 * Every verb that writes is part of one `BEGIN IMMEDIATE … COMMIT`, in WAL mode with `synchronous = FULL`: acknowledged, it survives `kill -9` and a
 * loss of power; before that, it is wholly there or not at all. Verbs of the same turn of the event loop share a transaction (group commit), in which
 * one that is refused changes nothing and takes no other with it.
 *
 * An error of the engine means that the verb has changed nothing. Only where the process or the machine ends right then may it be there afterwards;
 * every verb is idempotent by its id, so it may always be repeated.
 *
 * ```ts
 * const ledger = sqliteLedger({ database: new Database('searchgate.db') });
 * await ledger.migrate();
 * ```
 *
 * @throws ConfigurationError naming the option that is wrong.
 */
export function sqliteLedger(options: SqliteLedgerOptions): SqliteLedger {
  const { database, clock, busyTimeoutMs, keepEndedHoldsMs } = readSqliteLedgerOptions(options);
  const connection = createConnection(database);
  const { afterVerbs, forget } = createForgetting(keepEndedHoldsMs);
  const checkSchema = createSchemaCheck(connection);
  const access = createAccess({ connection, checkSchema, clock, busyTimeoutMs, afterVerbs });
  const { read, write } = access;

  // The verbs are async so that what their checks throw is a rejection.
  return {
    async grant(grant) {
      checkGrant(grant);
      return write((books) => applyGrant(books, grant));
    },
    async adjust(adjustment) {
      checkAdjustment(adjustment);
      return write((books) => applyAdjustment(books, adjustment));
    },
    async hold(request) {
      checkHoldRequest(request);
      return write((books) => placeHold(books, request));
    },
    async settle(holdId, charge) {
      checkSettle(holdId, charge);
      return write((books) => settleHold(books, holdId, charge));
    },
    async release(holdId, release) {
      checkRelease(holdId, release);
      return write((books) => releaseHold(books, holdId, release));
    },
    async expireHolds(nowMs, policy = 'release') {
      checkExpiry(nowMs, policy);
      return sweep(access, { nowMs, policy, forget });
    },
    async organizationTotals(organizationId) {
      checkLedgerId('organizationId', organizationId);
      return read((from) => ({ ...readOrganization(from, organizationId) }));
    },
    async keyTotals(keyId, limitReset = null) {
      checkKeyQuery(keyId, limitReset);
      return read((from) => totalsOfKey(readKeyBook(from, keyId), limitReset, clock.now()));
    },
    async entries(query = {}) {
      const limit = checkEntryQuery(query);
      return pageOfEntries(access, query, limit);
    },
    apiKeys: sqliteApiKeys(access),
    idempotency: sqliteIdempotency(access),
    migrate: () => access.migrate(),
    audit: () => auditLedger(access),
    close: () => access.close(),
  };
}

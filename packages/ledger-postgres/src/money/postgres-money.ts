import {
  checkAdjustment,
  checkExpiry,
  checkGrant,
  checkHoldRequest,
  checkKeyQuery,
  checkLedgerId,
  checkRelease,
  checkSettle,
  type Ledger,
} from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';
import type { Lanes } from '../engine/lanes.js';
import { expireHolds, forgetOld } from './expire-holds.js';
import { createHoldRoutes } from './hold-routes.js';
import {
  adjustVerb,
  grantVerb,
  holdVerb,
  type MoneyAnswer,
  type MoneyVerb,
  releaseVerb,
  settleVerb,
} from './money-verbs.js';
import { readEntries } from './read-entries.js';
import { readKeyTotals, readOrganizationTotals } from './read-totals.js';

/** The verbs that change money for one organization each: they travel in its lane. */
export function travellingVerbs(
  { checkOpen }: Database,
  lanes: Lanes<MoneyVerb['json'], MoneyAnswer>,
): Pick<Ledger, 'grant' | 'adjust' | 'hold' | 'settle' | 'release'> {
  const routes = createHoldRoutes();

  async function apply<T>(route: string, { json, read }: MoneyVerb<T>): Promise<T> {
    return read(await lanes.submit(route, json));
  }

  return {
    async grant(grant) {
      checkOpen();
      checkGrant(grant);
      return apply(grant.organizationId, grantVerb(grant));
    },
    async adjust(adjustment) {
      checkOpen();
      checkAdjustment(adjustment);
      return apply(adjustment.organizationId, adjustVerb(adjustment));
    },
    async hold(request) {
      checkOpen();
      checkHoldRequest(request);
      routes.add(request.holdId, request.organizationId);
      const result = await apply(request.organizationId, holdVerb(request));
      if (result.status === 'refused') routes.take(request.holdId);
      return result;
    },
    async settle(holdId, charge) {
      checkOpen();
      checkSettle(holdId, charge);
      return apply(routes.take(holdId), settleVerb(holdId, charge));
    },
    async release(holdId, release) {
      checkOpen();
      checkRelease(holdId, release);
      return apply(routes.take(holdId), releaseVerb(holdId, release));
    },
  };
}

/** What is asked for the whole ledger, and what changes nothing: a statement each. */
export function directVerbs(
  database: Database,
  { keepEndedHoldsMs }: { readonly keepEndedHoldsMs: number },
): Pick<Ledger, 'expireHolds' | 'organizationTotals' | 'keyTotals' | 'entries'> {
  const { checkOpen } = database;
  return {
    async expireHolds(nowMs, policy = 'release') {
      checkOpen();
      checkExpiry(nowMs, policy);
      const count = await expireHolds(database, { nowMs, policy });
      await forgetOld(database, keepEndedHoldsMs);
      return count;
    },
    async organizationTotals(organizationId) {
      checkOpen();
      checkLedgerId('organizationId', organizationId);
      return readOrganizationTotals(database, organizationId);
    },
    async keyTotals(keyId, limitReset = null) {
      checkOpen();
      checkKeyQuery(keyId, limitReset);
      return readKeyTotals(database, { keyId, limitReset });
    },
    async entries(query = {}) {
      checkOpen();
      return readEntries(database, query);
    },
  };
}

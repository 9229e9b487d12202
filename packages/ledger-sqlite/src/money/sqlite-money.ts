import {
  admitRequest,
  applyAdjustment,
  applyGrant,
  type LedgerEngine,
  placeHold,
  readRates,
  releaseHold,
  settleHold,
  totalsOfKey,
  totalsOfOrganization,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import { readUsage } from '../usage/read-usage.js';
import { expireHolds } from './expire-holds.js';
import { findHold } from './find-hold.js';
import type { Forgetting } from './forget-old.js';
import { readEntries } from './read-entries.js';
import { openState } from './sqlite-state.js';

/** Money: what writes goes in batches, what reads sees what is committed. */
export function sqliteMoney(access: Access, { forget }: Forgetting): Omit<LedgerEngine, 'close'> {
  const { read, write, clock } = access;
  return {
    grant: (grant) => write((state) => applyGrant(state, grant)),
    adjust: (adjustment) => write((state) => applyAdjustment(state, adjustment)),
    hold: (request) => write((state) => placeHold(state, request)),
    admit: (request) => write((state) => admitRequest(state, request)),
    ratesUsed: (request) => read((connection) => readRates(openState(connection, clock.now()), request)),
    settle: (holdId, charge) => write((state) => settleHold(state, holdId, charge)),
    release: (holdId, release) => write((state) => releaseHold(state, holdId, release)),
    expireHolds: (nowMs) => expireHolds(access, { nowMs, forget }),
    organizationTotals: (organizationId) =>
      read((connection) => totalsOfOrganization(openState(connection, clock.now()), organizationId)),
    keyTotals: (keyId, limitReset) =>
      read((connection) => totalsOfKey(openState(connection, clock.now()), keyId, limitReset)),
    usage: (query) => readUsage(access, query),
    findHold: (holdId) => read((connection) => findHold(connection, holdId)),
    entries: (query) => readEntries(access, query),
  };
}

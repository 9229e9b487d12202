import { type Ledger, LedgerError } from '@searchgate/core/ledger';
import { type Faults, forceHolds, HISTORIES } from './broken-ledgers.js';

/** A handle on a ledger that can be closed without the ledger. */
export function handleOn(sound: Ledger): Ledger {
  let closed = false;
  const operations = Object.entries(sound).map(
    ([name, operation]: [string, (...given: unknown[]) => Promise<unknown>]) => {
      const guarded = async (...given: unknown[]) => {
        if (closed) throw new LedgerError('ledger_closed', 'this handle is closed');
        return operation(...given);
      };
      return [name, guarded];
    },
  );
  const close = async () => {
    closed = true;
  };
  return { ...(Object.fromEntries(operations) as Ledger), close };
}

/** Faults that only show with several handles or processes on the same money. */
export const SHARING_FAULTS: Faults = {
  'sees only the holds of its own handle': [
    (sound) => {
      const { force, ...visible } = forceHolds(sound);
      let own = 0n;
      return {
        ...visible,
        async hold(request) {
          const result = await sound.hold(request);
          const { credits, usage } = await sound.organizationTotals(request.organizationId);
          const fits = result.status === 'refused' && usage + own + request.amount <= credits;
          if (result.status === 'held' || fits) own += request.amount;
          return fits ? force(request) : result;
        },
      };
    },
    'holds exactly 10 against the balance through four handles',
  ],
  'remembers grants only for its own handle': [
    (sound) => {
      const handle = Math.random().toString(36).slice(2);
      return { grant: (grant) => sound.grant({ ...grant, grantId: `${grant.grantId}.${handle}` }) };
    },
    'keeps everything it acknowledged',
    'shows every handle the same money',
  ],
  'counts in windows of its own handle': [
    (sound) => {
      let own = 0n;
      return {
        async settle(holdId, charge) {
          const ending = await sound.settle(holdId, charge);
          if (ending.first) own += ending.cost;
          return ending;
        },
        async keyTotals(keyId, limitReset) {
          const totals = await sound.keyTotals(keyId, limitReset);
          return limitReset == null ? totals : { ...totals, windowUsage: own };
        },
      };
    },
    'keeps everything it acknowledged',
    'shows every handle the same money',
  ],
  'forgets its open holds when it is opened again': [
    (sound) => {
      const own = new Set<string>();
      return {
        hold(request) {
          own.add(request.holdId);
          return sound.hold(request);
        },
        async expireHolds(nowMs) {
          return own.size === 0 ? 0 : sound.expireHolds(nowMs);
        },
        async settle(holdId, charge) {
          if (!own.has(holdId)) throw new LedgerError('unknown_hold', 'not mine');
          return sound.settle(holdId, charge);
        },
      };
    },
    'keeps everything it acknowledged',
    'still expires the holds of the process that died',
    HISTORIES,
  ],
};

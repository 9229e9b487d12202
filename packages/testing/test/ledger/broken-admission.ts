import type { AdmitRequest, HoldRequest, Ledger, RatesUsed } from '@searchgate/core/ledger';
import { type Break, type Fault, HISTORIES } from './broken-ledgers.js';

/* Ledgers that are each wrong about slots or rates in one way. */

/** Asks the sound ledger something else than was asked. */
const askingFor =
  (change: (request: HoldRequest) => Partial<HoldRequest>): Break =>
  (sound) => ({ hold: (request) => sound.hold({ ...request, ...change(request) }) });

/** Looks at a rate, waits, and counts without looking again. */
const racing: Break = (sound) => ({
  async hold(request) {
    const { key, organization } = await sound.ratesUsed(request);
    const { keyRateLimit, organizationRateLimit, ...unlimited } = request;
    const isOver =
      (keyRateLimit != null && (key ?? 0) + 1 > keyRateLimit.requests) ||
      (organizationRateLimit != null && (organization ?? 0) + 1 > organizationRateLimit.requests);
    if (isOver) return sound.hold(request);
    const result = await sound.hold(unlimited);
    await sound.admit(request);
    return result;
  },
});

/** Counts a request also where it is refused. */
const countingRefusals: Break = (sound) => ({
  async hold(request) {
    const result = await sound.hold(request);
    if (result.status === 'refused' && !result.by.endsWith('_rate')) await sound.admit(request);
    return result;
  },
});

/** Changes what is said of rates. */
const saying = (change: (used: RatesUsed, request: AdmitRequest) => RatesUsed): Break => {
  return (sound) => ({
    ratesUsed: async (request) => change(await sound.ratesUsed(request), request),
    async hold(request) {
      const result = await sound.hold(request);
      return result.ratesUsed === undefined ? result : { ...result, ratesUsed: change(result.ratesUsed, request) };
    },
  });
};

/** Takes a slot again for every settle that comes late, as a ledger would that counts holds by their endings. */
const freeingTwice: Break = (sound) => {
  let extra = 0;
  return {
    async settle(holdId, charge) {
      const ending = await sound.settle(holdId, charge);
      extra += 1;
      return ending;
    },
    hold: (request) =>
      sound.hold({
        ...request,
        keyMaxConcurrent: request.keyMaxConcurrent == null ? null : request.keyMaxConcurrent + extra,
      }),
  };
};

export const ADMISSION_FAULTS: readonly Fault[] = [
  {
    fault: 'knows no slots of keys',
    breaks: askingFor(() => ({ keyMaxConcurrent: null })),
    caughtBy: ['refuses a hold of a key that has all its slots taken', HISTORIES],
  },
  {
    fault: 'knows no slots of organizations',
    breaks: askingFor(() => ({ organizationMaxConcurrent: null })),
    caughtBy: ['refuses a hold of an organization that has all its slots taken, whichever key asks', HISTORIES],
  },
  {
    fault: 'lets one more in than there are slots',
    breaks: askingFor(({ keyMaxConcurrent: most }) => ({ keyMaxConcurrent: most == null ? null : most + 1 })),
    caughtBy: ['lets exactly 10 of 200 holds at once into 10 slots of a key', HISTORIES],
  },
  {
    fault: 'counts only holds that name a limit',
    breaks: askingFor(({ keyMaxConcurrent, organizationMaxConcurrent }) =>
      keyMaxConcurrent == null && organizationMaxConcurrent == null ? { usesSlot: false } : {},
    ),
    caughtBy: ['counts also what was held before there was a limit, and lets a higher one in at once', HISTORIES],
  },
  {
    fault: 'takes a slot for every hold',
    breaks: askingFor(() => ({ usesSlot: true })),
    caughtBy: ['counts a hold that takes no slot nowhere', HISTORIES],
  },
  {
    fault: 'frees slots twice',
    breaks: freeingTwice,
    caughtBy: ['gives no slot back a second time for a hold that is settled late', HISTORIES],
  },
  {
    fault: 'knows no rates of keys',
    breaks: askingFor(() => ({ keyRateLimit: null })),
    caughtBy: ['lets a burst of exactly the limit of a key in, and says how much is used'],
  },
  {
    fault: 'knows no rates of organizations',
    breaks: askingFor(() => ({ organizationRateLimit: null })),
    caughtBy: ['lets a burst of exactly the limit of an organization in, over all its keys'],
  },
  {
    fault: 'checks a rate, waits, and counts without looking again',
    breaks: racing,
    caughtBy: ['lets exactly 10 of 200 holds at once into a rate of 10'],
  },
  {
    fault: 'uses a rate for holds that are refused',
    breaks: countingRefusals,
    caughtBy: [
      'uses nothing of a rate for a hold that key_concurrency refuses',
      'uses nothing of a rate for a hold that organization_concurrency refuses',
      'uses nothing of a rate for a hold that key_limit refuses',
      'uses nothing of a rate for a hold that organization_credits refuses',
    ],
  },
  {
    fault: 'admits everything',
    breaks: () => ({ admit: () => Promise.resolve({ status: 'admitted', ratesUsed: { key: 1, organization: 1 } }) }),
    caughtBy: [
      'admits what needs no hold by the rates alone, and takes no slot for it',
      'lets the next one in from the moment it has drained, and all after a period',
      'lets in what a bucket that drains evenly has room for',
    ],
  },
  {
    fault: 'forgets what was used when a limit changes',
    breaks: (sound) => ({
      admit: (request) => sound.admit({ ...request, keyId: `${request.keyId}.${request.keyRateLimit?.requests ?? 0}` }),
    }),
    caughtBy: ['counts what was used before a limit was changed'],
  },
  {
    fault: 'says what is left instead of what is used',
    breaks: saying(({ key, organization }, { keyRateLimit, organizationRateLimit }) => ({
      key: key === null ? null : (keyRateLimit?.requests ?? 0) - key,
      organization: organization === null ? null : (organizationRateLimit?.requests ?? 0) - organization,
    })),
    caughtBy: ['lets a burst of exactly the limit of a key in, and says how much is used'],
  },
  {
    fault: 'loses the upstream cost of charges',
    breaks: (sound: Ledger) => ({
      settle: (holdId, charge) => sound.settle(holdId, { ...charge, upstreamCost: undefined }),
    }),
    caughtBy: [HISTORIES],
  },
];

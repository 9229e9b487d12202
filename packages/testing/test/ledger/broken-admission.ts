import type { AdmitRequest, HoldRequest, Ledger, RatesUsed } from '@searchgate/core/ledger';
import { type Break, type Faults, HISTORIES } from './broken-ledgers.js';

/* Ledgers with one fault each in slots or rates. */

/** Passes a changed request to the sound ledger. */
const askingFor =
  (change: (request: HoldRequest) => Partial<HoldRequest>): Break =>
  (sound) => ({ hold: (request) => sound.hold({ ...request, ...change(request) }) });

/** Reads a rate, waits, and counts without reading again. */
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

/** Counts refused requests too. */
const countingRefusals: Break = (sound) => ({
  async hold(request) {
    const result = await sound.hold(request);
    if (result.status === 'refused' && !result.by.endsWith('_rate')) await sound.admit(request);
    return result;
  },
});

/** Changes the reported use of rates. */
const saying = (change: (used: RatesUsed, request: AdmitRequest) => RatesUsed): Break => {
  return (sound) => ({
    ratesUsed: async (request) => change(await sound.ratesUsed(request), request),
    async hold(request) {
      const result = await sound.hold(request);
      return result.ratesUsed === undefined ? result : { ...result, ratesUsed: change(result.ratesUsed, request) };
    },
  });
};

/** Frees a slot again for each late settle, like a ledger that counts the endings of holds. */
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

export const ADMISSION_FAULTS: Faults = {
  'knows no slots of keys': [
    askingFor(() => ({ keyMaxConcurrent: null })),
    'refuses a hold of a key that has all its slots taken',
    HISTORIES,
  ],
  'knows no slots of organizations': [
    askingFor(() => ({ organizationMaxConcurrent: null })),
    'refuses a hold of an organization that has all its slots taken, whichever key asks',
    HISTORIES,
  ],
  'lets one more in than there are slots': [
    askingFor(({ keyMaxConcurrent: most }) => ({ keyMaxConcurrent: most == null ? null : most + 1 })),
    'holds exactly 10 against the slots of a key',
    HISTORIES,
  ],
  'counts only holds that name a limit': [
    askingFor(({ keyMaxConcurrent, organizationMaxConcurrent }) =>
      keyMaxConcurrent == null && organizationMaxConcurrent == null ? { usesSlot: false } : {},
    ),
    'counts holds older than the limit, and applies a raised limit at once',
    HISTORIES,
  ],
  'takes a slot for every hold': [
    askingFor(() => ({ usesSlot: true })),
    'counts no slot for a hold that takes none',
    HISTORIES,
  ],
  'frees slots twice': [freeingTwice, 'frees no slot twice for a late settle', HISTORIES],
  'knows no rates of keys': [
    askingFor(() => ({ keyRateLimit: null })),
    'admits a burst up to the limit of a key, and reports its use',
  ],
  'knows no rates of organizations': [
    askingFor(() => ({ organizationRateLimit: null })),
    'admits a burst up to the limit of an organization, over all its keys',
  ],
  'checks a rate, waits, and counts without looking again': [racing, 'holds exactly 10 against the rate of a key'],
  'uses a rate for holds that are refused': [
    countingRefusals,
    'counts no request for a hold that key_concurrency refuses',
    'counts no request for a hold that organization_concurrency refuses',
    'counts no request for a hold that key_limit refuses',
    'counts no request for a hold that organization_credits refuses',
  ],
  'admits everything': [
    () => ({ admit: () => Promise.resolve({ status: 'admitted', ratesUsed: { key: 1, organization: 1 } }) }),
    'admits a request without a hold by its rates alone, without a slot',
    'admits the next request as soon as one has drained, and a full burst after a period',
    'lets in what a bucket that drains evenly has room for',
  ],
  'forgets what was used when a limit changes': [
    (sound) => ({
      admit: (request) => sound.admit({ ...request, keyId: `${request.keyId}.${request.keyRateLimit?.requests ?? 0}` }),
    }),
    'counts requests from before a changed limit',
  ],
  'says what is left instead of what is used': [
    saying(({ key, organization }, { keyRateLimit, organizationRateLimit }) => ({
      key: key === null ? null : (keyRateLimit?.requests ?? 0) - key,
      organization: organization === null ? null : (organizationRateLimit?.requests ?? 0) - organization,
    })),
    'admits a burst up to the limit of a key, and reports its use',
  ],
  'loses the upstream cost of charges': [
    (sound: Ledger) => ({
      settle: (holdId, charge) => sound.settle(holdId, { ...charge, upstreamCost: undefined }),
    }),
    HISTORIES,
  ],
};

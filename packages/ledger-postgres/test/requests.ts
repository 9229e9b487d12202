import type {
  Adjustment,
  ApiKeyRecord,
  Charge,
  Grant,
  HoldRequest,
  LoggedRequest,
  RequestText,
  SealedKey,
} from '@searchgate/core/ledger';

// Arguments that are right in every field; a test changes what it is about.

export function grantOf(changes: Partial<Grant> = {}): Grant {
  return { grantId: 'grant-1', organizationId: 'acme', amount: 1_000n, note: 'a payment', ...changes };
}

export function adjustmentOf(changes: Partial<Adjustment> = {}): Adjustment {
  return { adjustmentId: 'adjustment-1', organizationId: 'acme', amount: 5n, note: 'a correction', ...changes };
}

export function holdOf(changes: Partial<HoldRequest> = {}): HoldRequest {
  const expiresAtMs = Date.now() + 3_600_000;
  const whose = { organizationId: 'acme', keyId: 'key-1', keyLimit: null };
  return { holdId: 'hold-1', ...whose, amount: 10n, expiresAtMs, model: 'exa/answer', ...changes };
}

export function chargeOf(changes: Partial<Charge> = {}): Charge {
  return { cost: 7n, model: 'exa/answer', provider: 'exa', costSource: 'reported', ...changes };
}

export const LOSS = { model: 'exa/answer', provider: 'exa', cost: 3n, reason: 'upstream_timeout' };

export function keyOf(changes: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  const terms = { limit: null, limitReset: null, allowedModels: null, expiresAtMs: null, revokedAtMs: null };
  const whose = { id: 'key-1', hash: 'a'.repeat(64), organizationId: 'acme', label: 'a key' };
  return { ...whose, createdAtMs: 1, ...terms, ...changes };
}

export function sealedOf(changes: Partial<SealedKey> = {}): SealedKey {
  const ids = { organizationId: 'acme', providerId: 'exa', hostKeyId: 'host-1' };
  return { ...ids, sealed: 'v1.one', lastCharacters: '9f3a', createdAtMs: 1, ...changes };
}

export const TEXT: RequestText = {
  requestId: 'req_1',
  atMs: 1,
  organizationId: 'acme',
  keyId: 'key-1',
  tag: null,
  question: 'When?',
  answer: 'Now.',
  isCut: false,
};

export const LOGGED: LoggedRequest = {
  requestId: 'req_1',
  answerId: 'ans_1',
  atMs: Date.now(),
  endpoint: 'answer',
  keyId: 'key-1',
  organizationId: 'acme',
  tag: null,
  budgets: [],
  byok: false,
  modelAsked: 'fast',
  model: 'exa/answer',
  provider: 'exa',
  status: 200,
  reason: null,
  stream: false,
  cache: null,
  cost: 5n,
  upstreamCost: 5n,
  loss: 0n,
  durationMs: 1.5,
  upstreamMs: 1,
  firstPartMs: null,
  cause: null,
  attempted: [],
  attemptCount: 0,
  rescued: false,
  attempts: [],
};

/** Sums that are younger are kept. */
export const ALL_SUMS = { sumsBeforeMs: { hour: 0, day: 0 } };

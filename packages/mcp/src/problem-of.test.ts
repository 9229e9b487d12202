import type { ErrorEnvelope } from '@searchgate/core/extensions';
import { describe, expect, it } from 'vitest';
import { problemOf } from './problem-of.js';

type GatewayError = ErrorEnvelope['error'];

function adviceFor(error: object, retryAfterSeconds: number | null = null): string {
  const usual = { code: 400, message: 'No.', param: null, retryable: false, request_id: 'req_1', metadata: null };
  return problemOf({ error: { ...usual, ...error } as GatewayError, retryAfterSeconds }).advice;
}

const NO_HELP = 'Trying again will not help.';

it.each<readonly [object, number | null, string]>([
  [{ reason: 'overloaded', retryable: true }, 1, 'Try again after 1 second.'],
  [{ reason: 'shutting_down', retryable: true }, 5, 'Try again after 5 seconds.'],
  [{ reason: 'upstream_error', retryable: true }, null, 'Try again.'],
  [
    { reason: 'model_category_mismatch', metadata: { category: 'search' } },
    null,
    'Call list_models, and choose one of its models.',
  ],
  [
    { reason: 'unsupported_option', metadata: { options: ['country'], models: ['a/b', 'c/d'] } },
    null,
    'Choose one of these models: a/b, c/d. Or leave out country.',
  ],
  [
    { reason: 'key_limit_reached', metadata: { resets_at: '2026-12-01T00:00:00Z' } },
    null,
    'Choose a cheaper model, or try again after 2026-12-01T00:00:00Z.',
  ],
  [
    { reason: 'budget_exceeded', metadata: { budget: 'team', resets_at: null } },
    null,
    'Choose a cheaper model, or ask the operator of the gateway for a higher limit.',
  ],
  [
    { reason: 'organization_credits_exhausted', metadata: { resets_at: null } },
    null,
    'Choose a cheaper model, or ask the operator of the gateway for more credits.',
  ],
  [
    { reason: 'upstream_auth_failed', metadata: {} },
    null,
    'Choose another model, and let the operator of the gateway know.',
  ],
  [{ reason: 'revoked_api_key' }, null, 'Let the user know that the API key of this server has to be replaced.'],
  ...['a_reason_of_a_newer_gateway', 'constructor', '__proto__'].map((reason) => [{ reason }, null, NO_HELP] as const),
])('advises for %j', (error, retryAfterSeconds, advice) => {
  expect(adviceFor(error, retryAfterSeconds)).toBe(advice);
});

describe.each([[null], [7], ['other'], [{}], [{ issues: 1, suggestions: null, options: 'x', resets_at: 5 }]])(
  'metadata of another gateway such as %j',
  (metadata) => {
    it.each(['invalid_field', 'model_not_found', 'unsupported_option', 'key_limit_reached'])(
      'leaves an error %s its reason, with some advice',
      (reason) => {
        expect(adviceFor({ reason, metadata })).toMatch(/^[A-Z](?!.*undefined).+\.$/);
      },
    );
  },
);

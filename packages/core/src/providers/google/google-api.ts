import type { z } from 'zod';
import { madeIn } from '../../base/made-in.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { modelName } from '../../provider-kit/call-fields.js';
import { type JsonEndpointOptions, jsonEndpoint, keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';
import type { Connection } from '../../provider-kit/provider.js';

const GOOGLE: VendorApi = {
  authorize: keyHeader('x-goog-api-key'),
  // ai.google.dev, and errors quoted in public, read 2026-11-21.
  errors: [
    // Google reports a wrong key as an invalid argument; the details have the reason.
    { status: 400, code: /^API_KEY_/, reason: 'upstream_auth_failed' },
    { status: 400, message: /api key (?:not valid|not found|expired)/i, reason: 'upstream_auth_failed' },
    { status: 400, code: 'FAILED_PRECONDITION', message: /billing/i, reason: 'upstream_quota_exhausted' },
    // Every 429 says "exceeded your current quota", also when a minute later the quota is back. These need a new day or money.
    { status: 429, code: /PerDay/, reason: 'upstream_quota_exhausted' },
    {
      status: 429,
      message: /prepayment credits|spending cap|\blimit: 0\b|daily quota/i,
      reason: 'upstream_quota_exhausted',
    },
    // CANCELLED by Google.
    { status: 499, reason: 'upstream_error' },
  ],
};

/** The endpoints of a method, by model. Each is made once, because an endpoint compiles its schema with the first reply. */
export function endpointsOf<S extends z.ZodType>(
  connection: Connection,
  method: string,
  options: Omit<JsonEndpointOptions<S>, 'path' | keyof VendorApi>,
) {
  const asks = new Map<string, ReturnType<typeof jsonEndpoint<S>>>();
  return (model: ModelRow) => {
    const path = `/v1beta/models/${modelName(model)}:${method}`;
    return madeIn(asks, path, () => jsonEndpoint(connection, { ...GOOGLE, ...options, path }));
  };
}

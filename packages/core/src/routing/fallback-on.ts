import { z } from 'zod';
import { RequestError } from '../base/errors/request-error.js';
import { FALLBACK_CAUSES, type FallbackOn, type RoutingPreferences } from './routing-preferences.js';

/** What callers and hosts may write, for messages. */
export const FALLBACK_ON = '["error"] or ["error", "empty"]';

export const fallbackOnSchema = z
  .array(z.enum(FALLBACK_CAUSES, FALLBACK_ON), FALLBACK_ON)
  .max(FALLBACK_CAUSES.length, FALLBACK_ON)
  .refine((causes) => causes.includes('error'), FALLBACK_ON);

interface AskedRoute {
  readonly call: { readonly isEmpty?: unknown };
  readonly routing?: RoutingPreferences | undefined;
}

/**
 * Whether an empty reply leads to the next model. A caller can only narrow what the operator allows: each further reply is charged.
 *
 * @throws RequestError `unsupported_option`.
 */
export function isNextOnEmpty({ call, routing }: AskedRoute, allowed: FallbackOn): boolean {
  const asked = routing?.fallbackOn ?? allowed;
  if (asked.includes('empty') && !allowed.includes('empty')) {
    const param = 'routing.fallbackOn';
    throw new RequestError('unsupported_option', { param, details: { options: [param], models: [] } });
  }
  return asked.includes('empty') && call.isEmpty !== undefined;
}

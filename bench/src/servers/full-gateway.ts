import { createGateway, type Gateway, type GatewayEvent, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { exa } from '@searchgate/core/providers';
import { apiKeyOf, organizationOf } from './api-keys.js';
import { settings, upstreamOrigin } from './server-settings.js';

const CREDITS = '1000000.00';
const KEY_LIMIT = '500000.00';

/**
 * A gateway with everything in use: keys with limits, credits in the memory ledger, provider health, a listener on the event stream. The
 * bound on calls in flight and the retry policy are the defaults.
 */
export function fullGateway(): Gateway {
  const numbers = Array.from({ length: settings.apiKeyCount ?? 1 }, (_, number) => number);
  return createGateway({
    providers: [exa({ apiKey: 'exa-key', baseUrl: upstreamOrigin() })],
    apiKeys: memoryApiKeys(
      numbers.map((number) => ({
        apiKey: apiKeyOf(number),
        label: 'bench',
        organizationId: organizationOf(number),
        limit: KEY_LIMIT,
      })),
    ),
    ledger: memoryLedger({ credits: Object.fromEntries(numbers.map((number) => [organizationOf(number), CREDITS])) }),
    onEvent: countEvent,
  });
}

const eventCounts = new Map<string, number>();

/** The least a listener does. */
function countEvent({ type }: GatewayEvent): void {
  eventCounts.set(type, (eventCounts.get(type) ?? 0) + 1);
}

import type { Gateway } from '@searchgate/core';
import { parseOptions } from '@searchgate/core/ledger';
import { createEndpointQueue, type EndpointQueue } from './endpoint-queue.js';
import { messageOf } from './post.js';
import { type WebhookOptions, webhookSchema } from './webhook-options.js';

/**
 * Posts chosen events of a gateway to URLs, signed by the Standard Webhooks specification, and retries until a 2xx status.
 *
 * @returns a function that stops the delivery; call it after `gateway.close()`. It retries pending events once and resolves within `flushTimeoutMs`.
 * @throws ConfigurationError naming every invalid option.
 */
export function deliverWebhooks(gateway: Pick<Gateway, 'on'>, options: WebhookOptions): () => Promise<void> {
  const config = parseOptions(webhookSchema, options, 'deliverWebhooks');
  const byEvent = new Map<string, EndpointQueue[]>();
  const queues = config.endpoints.map((endpoint) => {
    const queue = createEndpointQueue(endpoint, config);
    for (const type of new Set(endpoint.events)) byEvent.set(type, [...(byEvent.get(type) ?? []), queue]);
    return queue;
  });
  // The promise of an alert resolves when every endpoint has accepted the alert: that marks it as delivered. For other events the gateway counts losses.
  const unsubscribe = gateway.on((event) => {
    const wanting = byEvent.get(event.type);
    if (wanting === undefined) return undefined;
    const message = messageOf(event);
    return Promise.all(wanting.map((queue) => queue.send(message))).then(
      (taken) => !taken.includes(false) && undefined,
    );
  });
  return async () => {
    unsubscribe();
    await Promise.all(queues.map((queue) => queue.close()));
  };
}

import type { Gateway } from '@searchgate/core';
import { deliverWebhooks, type WebhookOptions } from '@searchgate/webhooks';
import type { ServerConfig } from './config-file.js';
import { withPaths } from './problems.js';

/** The same gateway, whose events are delivered until some time after it has closed. @throws ConfigurationError with the paths of the configuration file. */
export function withWebhooks(
  gateway: Gateway,
  webhooks: ServerConfig['webhooks'],
  logger: WebhookOptions['logger'],
): Gateway {
  if (webhooks === undefined) return gateway;
  const stop = withPaths(
    (path) => path.replace(/^deliverWebhooks/, 'webhooks'),
    () => deliverWebhooks(gateway, { ...webhooks, logger }),
  );
  return {
    ...gateway,
    async close() {
      await gateway.close();
      await stop();
    },
  };
}

export { deliverWebhooks } from './deliver-webhooks.js';
export type { WebhookEndpoint, WebhookEvent, WebhookOptions } from './webhook-options.js';

import type { ServerConfig } from './config-file.js';

export const DEMO_CREDITS = '5.00';
const DEMO_LIMIT = '1.00';

/** A configuration for trials: an organization with credits and one key. */
export function demoConfig(secret: string): ServerConfig {
  const organizationId = 'demo';
  return {
    organizations: [{ id: organizationId, credits: DEMO_CREDITS }],
    apiKeys: [{ secret, label: 'Demo key', organizationId, limit: DEMO_LIMIT }],
  };
}

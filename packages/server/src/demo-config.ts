import type { ServerConfig } from './config-file.js';

export const DEMO_CREDITS = '5.00';
const DEMO_LIMIT = '1.00';

/** A configuration to try things with: an organization with credits and a key of its own. */
export function demoConfig(secret: string): ServerConfig {
  const organizationId = 'demo';
  return {
    organizations: [{ id: organizationId, credits: DEMO_CREDITS }],
    apiKeys: [{ secret, label: 'Demo key', organizationId, limit: DEMO_LIMIT }],
  };
}

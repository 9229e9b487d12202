import { generateApiKey } from '@searchgate/core';
import type { StandaloneConfig } from './config-file.js';

/** A configuration to try things with, and the secret of its one key, which exists nowhere else. */
export interface Demo {
  readonly config: StandaloneConfig;
  readonly secret: string;
}

export const DEMO_CREDITS = '5.00';
export const DEMO_LIMIT = '1.00';

/** Makes an organisation with credits and a key of its own. */
export function createDemo(): Demo {
  const { secret } = generateApiKey();
  const organizationId = 'demo';
  return {
    secret,
    config: {
      organizations: [{ id: organizationId, credits: DEMO_CREDITS }],
      apiKeys: [{ secret, label: 'Demo key', organizationId, limit: DEMO_LIMIT }],
    },
  };
}

import { buildClient } from './build-client.js';
import { SYSTEM_TIMERS } from './call.js';
import type { Client } from './client.js';
import type { ClientOptions } from './client-options.js';

/**
 * Makes a client of a gateway. It keeps no connection or timer open, so it needs no closing.
 *
 * @throws TypeError for an invalid option.
 */
export function createClient(options: ClientOptions): Client {
  return buildClient(options, SYSTEM_TIMERS);
}

import type { GatewayOptions } from '@searchgate/core';
import { mcp } from '@searchgate/mcp';
import type { ServerConfig } from './config-file.js';
import { defined } from './problems.js';

/** The extensions that a configuration turns on. @throws ConfigurationError for a wrong option of one. */
export function configuredExtensions({
  mcp: server,
  ...others
}: ServerConfig['extensions'] = {}): GatewayOptions['extensions'] {
  const isOn = server !== undefined && server !== false;
  return defined({ ...others, mcp: isOn ? mcp(server === true ? {} : server) : undefined });
}

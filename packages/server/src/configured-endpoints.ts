import type { GatewayOptions } from '@searchgate/core';
import type { ServerConfig } from './config-file.js';
import { loadOptional } from './optional-package.js';
import { defined, withPaths } from './problems.js';

const MCP = { path: 'endpoints.mcp', name: '@searchgate/mcp' };

/** The endpoints that a configuration turns on. @throws ConfigurationError for a wrong option of one, or a package that is missing. */
export async function configuredEndpoints({
  mcp: server,
  ...others
}: ServerConfig['endpoints'] = {}): Promise<GatewayOptions['endpoints']> {
  if (server === undefined || server === false) return defined(others);
  const { mcp } = await loadOptional(MCP, () => import('@searchgate/mcp'));
  const extension = withPaths(
    (field) => `endpoints.${field}`,
    () => mcp(server === true ? {} : server),
  );
  return defined({ ...others, mcp: extension });
}

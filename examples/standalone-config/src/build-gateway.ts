import { createGateway, type Gateway, type GatewayOptions } from '@searchgate/core';
import { LIMIT_NAMES, type StandaloneConfig } from './config-file.js';
import { defined, problem, withPaths } from './problems.js';

/** Builds the gateway a configuration describes. @throws ConfigurationError with the paths of the configuration file. */
export function buildGateway(
  config: StandaloneConfig,
  host: Pick<GatewayOptions, 'providers' | 'ledger' | 'apiKeys' | 'drainTimeoutMs' | 'logger' | 'onEvent'>,
): Gateway {
  const { aliases, fallbacks, groups, markup, overrun, implausibleCostFactor, models, limits } = config;
  const gateway = withPaths(configPath, () =>
    createGateway({
      ...host,
      ...defined({ aliases, fallbacks, groups, markup, overrun, implausibleCostFactor, models, ...limits }),
    }),
  );
  checkAllowedModels(config, gateway);
  return gateway;
}

/** A mistyped slug in an allow-list would lock its key out without a warning. */
function checkAllowedModels({ apiKeys = [], aliases = {} }: StandaloneConfig, gateway: Gateway): void {
  const callable = gateway.models({ category: 'answer' }).map(({ id }) => id);
  const known = new Set([...callable, ...Object.keys(aliases)]);
  for (const [index, { allowedModels }] of apiKeys.entries()) {
    for (const [position, model] of (allowedModels ?? []).entries()) {
      if (known.has(model)) continue;
      throw problem(
        `apiKeys[${index}].allowedModels[${position}]`,
        JSON.stringify(model),
        `a model that can be called: ${callable.join(', ')}`,
      );
    }
  }
}

/** From the path of an option to the field of the configuration it comes from. */
function configPath(path: string): string {
  const [first = ''] = path.split(/[.[]/, 1);
  return LIMIT_NAMES.has(first) ? `limits.${path}` : path;
}

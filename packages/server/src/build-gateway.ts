import { createGateway, type Gateway, type GatewayOptions } from '@searchgate/core';
import type { TenantKeyVault } from '@searchgate/core/administration';
import type { RequestLog } from '@searchgate/core/ledger';
import { chatCompletions, exa, firecrawl, responses, searxng, tavily } from '@searchgate/dialects';
import { deliverWebhooks, type WebhookOptions } from '@searchgate/webhooks';
import { LIMIT_NAMES, type ServerConfig } from './config-file.js';
import { loadOptional } from './optional-package.js';
import { defined, pathOf, refuse, withPaths } from './problems.js';
import { clientAddressBehind } from './trusted-proxies.js';
import { verifiedModels } from './verified-models.js';

const MCP = { path: 'endpoints.mcp', name: '@searchgate/mcp' };

/** The configured endpoints. @throws ConfigurationError for an invalid option of an endpoint, or a missing package. */
async function configuredEndpoints(given: ServerConfig['endpoints'] = {}): Promise<GatewayOptions['endpoints']> {
  const { chatCompletions: chat = false, responses: response = false, mcp: server, ...own } = given;
  const others = {
    ...own,
    chatCompletions: chat === false ? undefined : chatCompletions(chat === true ? {} : chat),
    responses: response === false ? undefined : responses(response === true ? {} : response),
    tavily: own.tavily && tavily(own.tavily),
    exa: own.exa && exa(own.exa),
    firecrawl: own.firecrawl && firecrawl(own.firecrawl),
    searxng: own.searxng && searxng(own.searxng),
  };
  if (server === undefined || server === false) return defined(others);
  const { mcp } = await loadOptional(MCP, () => import('@searchgate/mcp'));
  const extension = withPaths(
    (field) => `endpoints.${field}`,
    () => mcp(server === true ? {} : server),
  );
  return defined({ ...others, mcp: extension });
}

/** Builds the gateway a configuration describes. @throws ConfigurationError with the paths of the configuration file. */
export async function buildGateway(
  config: ServerConfig,
  host: Pick<
    GatewayOptions,
    'providers' | 'ledger' | 'apiKeys' | 'drainTimeoutMs' | 'logger' | 'onEvent' | 'tracer'
  > & {
    readonly requests: RequestLog;
    readonly tenantKeys?: Pick<TenantKeyVault, 'find'> | undefined;
  },
): Promise<Gateway> {
  const {
    organizations: _organizations,
    budgets: _budgets,
    apiKeys: _apiKeys,
    adminOrganization: _payer,
    managementTokens: _tokens,
    operators: _operators,
    providers: _made,
    composed: _composed,
    ...rest
  } = config;
  const {
    $schema: _schema,
    drainDelayMs: _delay,
    limits,
    endpoints,
    webhooks,
    trustProxy,
    requestLog = {},
    byok,
    verified: _verified,
    ...options
  } = rest;
  const { requests, tenantKeys, ...parts } = host;
  const enabled = await configuredEndpoints(endpoints);
  const models = verifiedModels(config, parts.providers);
  const gateway = withPaths(configPath(config), () =>
    createGateway({
      ...parts,
      requestLog: requestLog === false ? undefined : { log: requests, ...requestLog },
      endpoints: enabled,
      ...(tenantKeys && { byok: { ...byok, keys: tenantKeys } }),
      clientAddress: trustProxy === undefined ? undefined : clientAddressBehind(trustProxy),
      ...defined({ ...options, ...limits, models }),
    }),
  );
  try {
    checkAllowedModels(config, gateway);
    return withWebhooks(gateway, webhooks, host.logger);
  } catch (error) {
    // Every reload may fail: a gateway that stayed open would keep sweeping holds.
    await gateway.close();
    throw error;
  }
}

/** Reports mistyped models of allow-lists now: when one locks its key out is too late. */
function checkAllowedModels({ apiKeys = [], aliases = {} }: ServerConfig, gateway: Gateway): void {
  const callable = gateway.models({ callable: true }).map(({ id }) => id);
  const known = new Set([...callable, ...Object.keys(aliases)]);
  const expected = `a model that can be called: ${callable.join(', ')}`;
  const problems = apiKeys.flatMap(({ allowedModels }, index) =>
    (allowedModels ?? []).flatMap((model, position) => {
      const path = `apiKeys[${index}].allowedModels[${position}]`;
      return known.has(model) ? [] : [{ path, found: JSON.stringify(model), expected }];
    }),
  );
  refuse(problems);
}

/** Maps the path of an option to the field of the configuration. */
function configPath({ providers = {} }: ServerConfig): (path: string) => string {
  return (path) => {
    const [first = ''] = path.split(/[.[]/, 1);
    if (Object.hasOwn(providers, first)) return pathOf('providers', first) + path.slice(first.length);
    return LIMIT_NAMES.has(first) ? `limits.${path}` : path;
  };
}

/** Adds webhooks to a gateway; closing it also flushes the webhooks. @throws ConfigurationError with the paths of the configuration file. */
function withWebhooks(gateway: Gateway, webhooks: ServerConfig['webhooks'], logger: WebhookOptions['logger']): Gateway {
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

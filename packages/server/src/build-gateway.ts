import { type Category, createGateway, type Gateway, type GatewayOptions } from '@searchgate/core';
import type { RequestLog } from '@searchgate/core/ledger';
import { chatCompletions, exa, firecrawl, responses, searxng, tavily } from '@searchgate/dialects';
import { deliverWebhooks, type WebhookOptions } from '@searchgate/webhooks';
import { LIMIT_NAMES, type ServerConfig } from './config-file.js';
import { loadOptional } from './optional-package.js';
import { defined, pathOf, refuse, withPaths } from './problems.js';
import { clientAddressBehind } from './trusted-proxies.js';

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
  },
): Promise<Gateway> {
  const {
    organizations: _organizations,
    apiKeys: _apiKeys,
    adminOrganization: _payer,
    managementTokens: _tokens,
    providers: _made,
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
    ...options
  } = rest;
  const { requests, ...parts } = host;
  const enabled = await configuredEndpoints(endpoints);
  const gateway = withPaths(configPath(config), () =>
    createGateway({
      ...parts,
      requestLog: requestLog === false ? undefined : { log: requests, ...requestLog },
      endpoints: enabled,
      clientAddress: trustProxy === undefined ? undefined : clientAddressBehind(trustProxy),
      ...defined({ ...options, ...limits }),
    }),
  );
  try {
    checkModels(config, gateway);
    return withWebhooks(gateway, webhooks, host.logger);
  } catch (error) {
    // Every reload may fail: a gateway that stayed open would keep sweeping holds.
    await gateway.close();
    throw error;
  }
}

/** Reports mistyped models now: a default model at the first agent that names none, an allow-list when it locks its key out, are too late. */
function checkModels({ apiKeys = [], endpoints, aliases = {}, groups = {} }: ServerConfig, gateway: Gateway): void {
  const server = endpoints?.mcp;
  const tools = typeof server === 'object' ? server : {};
  const wrong = (path: string, model: unknown, others: { category?: Category; names: readonly string[] }) => {
    const callable = gateway.models({ category: others.category, callable: true }).map(({ id }) => id);
    if ([undefined, ...callable, ...others.names].some((known) => known === model)) return [];
    return [{ path, found: JSON.stringify(model), expected: `a model that can be called: ${callable.join(', ')}` }];
  };
  const ofKeys = apiKeys.flatMap(({ allowedModels }, index) =>
    (allowedModels ?? []).flatMap((model, position) =>
      wrong(`apiKeys[${index}].allowedModels[${position}]`, model, { names: Object.keys(aliases) }),
    ),
  );
  const names = Object.keys({ ...aliases, ...groups });
  const ofDialects = (['tavily', 'exa', 'firecrawl', 'searxng'] as const).flatMap((dialect) =>
    Object.entries(endpoints?.[dialect] ?? {}).flatMap(([category, model]) =>
      wrong(`endpoints.${dialect}.${category}`, model, { category: category as Category, names }),
    ),
  );
  const ofAgents = (['defaultModel', 'search', 'fetch'] as const).flatMap((option) =>
    wrong(`endpoints.mcp.${option}`, tools[option], { category: CATEGORY_OF[option], names }),
  );
  refuse([...ofKeys, ...ofAgents, ...ofDialects]);
}

const CATEGORY_OF = { defaultModel: 'answer', search: 'search', fetch: 'extract' } as const;

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

import * as allProviders from '@searchgate/core/providers';
import type { ServerConfig } from './config-file.js';
import type { Environment } from './environment.js';

/** Names that vendors' own tools and platforms use (from memory, 2026-11-29; medium confidence), by the variable that is read here. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  ALIBABA_API_KEY: ['DASHSCOPE_API_KEY'],
  ANTHROPIC_API_KEY: ['CLAUDE_API_KEY'],
  BRAVE_API_KEY: ['BRAVE_SEARCH_API_KEY'],
  COHERE_API_KEY: ['CO_API_KEY'],
  GOOGLE_API_KEY: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  PERPLEXITY_API_KEY: ['PPLX_API_KEY'],
  SEARCHGATE_LEDGER: ['DATABASE_URL', 'POSTGRES_URL', 'REDIS_URL'],
  SERPAPI_API_KEY: ['SERP_API_KEY'],
  XAI_API_KEY: ['GROK_API_KEY'],
  YOU_API_KEY: ['YDC_API_KEY'],
  ZAI_API_KEY: ['ZHIPUAI_API_KEY'],
};

/** A hint for each variable that is set and not read, where the variable it looks like is missing. Values are not shown. */
export function unreadVariables(
  environment: Environment,
  { providers = {} }: Pick<ServerConfig, 'providers'>,
): string[] {
  const keys = Object.keys(allProviders)
    .filter((id) => providers[id]?.apiKey === undefined && providers[id]?.apiKeyFile === undefined)
    .map((id) => id.toUpperCase().replaceAll('-', '_'));
  const isLike = (vendor: string, name: string) =>
    new RegExp(`^${vendor}(?:AI)?_?(?:API_?)?(?:KEY|TOKEN|SECRET)$`).test(name);
  const set = Object.keys(environment).filter((name) => environment[name]);
  return [...keys.map((vendor) => `${vendor}_API_KEY`), 'SEARCHGATE_LEDGER']
    .filter((wanted) => !environment[wanted])
    .flatMap((wanted) =>
      set
        .filter((name) => (OTHER_NAMES[wanted] ?? []).includes(name) || isLike(wanted.replace('_API_KEY', ''), name))
        .map((name) => `${name} is not read. Did you mean ${wanted}?`),
    );
}

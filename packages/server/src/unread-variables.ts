import type { ServerConfig } from './config-file.js';
import { VENDORS } from './create-providers.js';
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

/** Ends of the names of variables with a key. */
const ENDS = [/_?(?:API_?)?(?:KEY|TOKEN|SECRET)$/, /AI_?(?:API_?)?(?:KEY|TOKEN|SECRET)$/];

/** A hint for each variable that is set and not read, where the variable it looks like is missing. Values are not shown. */
export function unreadVariables(environment: Environment, { providers = {} }: ServerConfig): string[] {
  const variables = Object.keys(VENDORS)
    .filter((id) => !['apiKey', 'apiKeyFile', 'apiKeys'].some((field) => Object.hasOwn(providers[id] ?? {}, field)))
    .map((id) => `${id.toUpperCase().replaceAll('-', '_')}_API_KEY`)
    .filter((name) => !environment[`${name}S`]);
  const missing = [...variables, 'SEARCHGATE_LEDGER'].filter((name) => !environment[name]);
  return Object.keys(environment).flatMap((name) => {
    const likely = ENDS.map((end) => name.replace(end, '_API_KEY'));
    const wanted = missing.find((each) => OTHER_NAMES[each]?.includes(name) || likely.includes(each));
    return environment[name] && wanted ? [`${name} is not read. Did you mean ${wanted}?`] : [];
  });
}

import { z } from 'zod';
import { divideUp, formatUsd, parseUsd } from '../../base/money.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import type { Provider } from '../../provider-kit/provider.js';
import {
  atHost,
  commonSettings,
  type ProviderSettings,
  parseProviderSettings,
} from '../../provider-kit/provider-settings.js';
import { readModels } from '../../provider-kit/read-models.js';
import { textLike } from '../../provider-kit/setting-schemas.js';
import { jinaAnswer } from './jina-answer.js';
import { jinaExtractPort, jinaSearchPort } from './jina-ports.js';
import { jinaEmbedPort, jinaRerankPort } from './jina-retrieval.js';
import rows from './models.json' with { type: 'json' };

/** The settings of `jina()`. */
export interface JinaSettings extends ProviderSettings {
  /**
   * The price that the account pays for a million tokens, in USD as a decimal string: Jina reports tokens, no cost. Default `"0.05"`, by the package of a billion
   * tokens for 50 USD; large packages cost 0.045, older keys 0.02 (low confidence, 2026-11-20).
   */
  readonly usdPerMillionTokens?: string | undefined;
  /** The only hosts that DeepSearch searches and reads. Default: all hosts. */
  readonly onlyHostnames?: readonly string[] | undefined;
  /** Hosts that DeepSearch never searches or reads. Default: no hosts. */
  readonly badHostnames?: readonly string[] | undefined;
}

const hostname = textLike(/^[a-z\d-]+(?:\.[a-z\d-]+)+$/i, 'a host name such as "example.org"');
const hostnames = z.array(hostname, 'an array of host names').min(1, 'at least one host name').optional();

/** USD per million tokens in `models.json`. */
const LIST_PRICE_OF_TOKENS = '0.05';

/** The model at the price that the account pays for a token: all products share one balance of tokens. */
function atTokenPrice(model: ModelRow, paid: string): ModelRow {
  const at = (listed: string) => formatUsd(divideUp(parseUsd(listed) * parseUsd(paid), parseUsd(LIST_PRICE_OF_TOKENS)));
  const prices = model.prices.map((price) =>
    price.kind === 'flat'
      ? { ...price, perMillionTokens: paid }
      : {
          ...price,
          perMillionInputTokens: paid,
          perMillionOutputTokens: paid,
          typical: at(price.typical),
          ceiling: at(price.ceiling),
        },
  );
  return { ...model, prices };
}

const DEEPSEARCH = 'https://deepsearch.jina.ai';

const jinaSettings = z.strictObject({
  ...commonSettings(DEEPSEARCH, readModels('jina', rows)),
  usdPerMillionTokens: textLike(
    /^(?=.*[1-9])\d{1,3}(?:\.\d{1,9})?$/,
    'a decimal string of US dollars above 0, such as "0.05"',
  ).default(LIST_PRICE_OF_TOKENS),
  onlyHostnames: hostnames,
  badHostnames: hostnames,
});

/**
 * Jina (jina.ai): DeepSearch, Search, Reader, and reranks with embeddings, each at a host of its own. A `baseUrl` replaces all of them: searches and pages
 * are asked of its root by POST, and differ in the field `q` or `url`.
 *
 * The source of DeepSearch has not changed since 2025-10, and Jina removed the product from the menu of the site: test the service before you rely on it.
 * 50 answers, 100 searches and 500 pages a minute at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function jina(settings: JinaSettings): Provider {
  const parsed = parseProviderSettings(jinaSettings, settings, 'jina');
  const { models, searchModels, extractModels, rerankModels, embedModels, common, connection, options } = parsed;
  const { usdPerMillionTokens, onlyHostnames, badHostnames } = options;
  const atPrice = (listed: readonly ModelRow[]) => listed.map((model) => atTokenPrice(model, usdPerMillionTokens));
  const retrieval = atHost(connection, DEEPSEARCH, 'https://api.jina.ai');
  // JSON leaves out the fields that are not set.
  const search = { only_hostnames: onlyHostnames, bad_hostnames: badHostnames };
  return {
    id: 'jina',
    name: 'Jina AI',
    models: atPrice(models),
    ...common,
    answer: jinaAnswer(connection, { usdPerMillionTokens, search }),
    search: {
      models: atPrice(searchModels),
      search: jinaSearchPort(atHost(connection, DEEPSEARCH, 'https://s.jina.ai')),
    },
    extract: {
      models: atPrice(extractModels),
      maxUrls: 1,
      extract: jinaExtractPort(atHost(connection, DEEPSEARCH, 'https://r.jina.ai')),
    },
    rerank: { models: atPrice(rerankModels), rerank: jinaRerankPort(retrieval) },
    embed: { models: atPrice(embedModels), maxInputs: 256, embed: jinaEmbedPort(retrieval) },
  };
}

import { z } from 'zod';
import type { ModelRow } from '../../catalog/model-entry.js';
import { atPaidPrice, withPrices } from '../../provider-kit/credit-price.js';
import { defineProvider, textLike } from '../../provider-kit/define-provider.js';
import type { Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { atHost } from '../../provider-kit/provider-settings.js';
import { jinaAnswer } from './jina-answer.js';
import { jinaEmbedPort, jinaExtractPort, jinaRerankPort, jinaSearchPort } from './jina-ports.js';
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
  const at = (price: string) => atPaidPrice(price, { listed: LIST_PRICE_OF_TOKENS, paid });
  const rates = { perMillionInputTokens: paid, perMillionOutputTokens: paid };
  return withPrices(model, {
    flat: (row) => ({ ...row, perMillionTokens: paid }),
    dynamic: (row) => ({ ...row, ...rates, typical: at(row.typical), ceiling: at(row.ceiling) }),
  });
}

const DEEPSEARCH = 'https://deepsearch.jina.ai';

/**
 * Jina (jina.ai): DeepSearch, Search, Reader, and reranks with embeddings, each at a host of its own. A `baseUrl` replaces all of them: searches and pages
 * are asked of its root by POST, and differ in the field `q` or `url`.
 *
 * The source of DeepSearch has not changed since 2025-10, and Jina removed the product from the menu of the site: test the service before you rely on it.
 * 50 answers, 100 searches and 500 pages a minute at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const jina: (settings: JinaSettings) => Provider = defineProvider({
  id: 'jina',
  name: 'Jina AI',
  baseUrl: DEEPSEARCH,
  models: rows,
  byName: ['rerank', 'embed'],
  settings: {
    usdPerMillionTokens: textLike(
      /^(?=.*[1-9])\d{1,3}(?:\.\d{1,9})?$/,
      'a decimal string of US dollars above 0, such as "0.05"',
    ).default(LIST_PRICE_OF_TOKENS),
    onlyHostnames: hostnames,
    badHostnames: hostnames,
  },
  adjust: (model, { usdPerMillionTokens }) => atTokenPrice(model, usdPerMillionTokens),
  ports(connection, { usdPerMillionTokens, onlyHostnames, badHostnames }) {
    const at = (host: string) => atHost(connection, DEEPSEARCH, `https://${host}.jina.ai`);
    // JSON leaves out the fields that are not set.
    const search = { only_hostnames: onlyHostnames, bad_hostnames: badHostnames };
    return {
      answer: jinaAnswer(connection, { usdPerMillionTokens, search }),
      search: jinaSearchPort(at('s')),
      extract: jinaExtractPort(at('r')),
      rerank: jinaRerankPort(at('api')),
      embed: { maxInputs: 256, embed: jinaEmbedPort(at('api')) },
    };
  },
});

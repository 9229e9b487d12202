import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { textLike } from '../../provider-kit/setting-schemas.js';
import { jinaAnswer } from './jina-answer.js';
import { atTokenPrice, JINA_MODELS, LIST_PRICE_OF_TOKENS } from './jina-models.js';

export interface JinaSettings extends ProviderSettings {
  /**
   * The price that the account pays for a million tokens, in USD as a decimal string: Jina reports tokens, no cost. Default `"0.05"`, by the package of a billion
   * tokens for 50 USD; large packages cost 0.045, older keys 0.02 (low confidence, 2026-11-20).
   */
  readonly usdPerMillionTokens?: string | undefined;
  /** The only hosts that are searched and read. Default: all hosts. */
  readonly onlyHostnames?: readonly string[] | undefined;
  /** Hosts that are never searched or read. Default: no hosts. */
  readonly badHostnames?: readonly string[] | undefined;
}

const hostname = textLike(/^[a-z\d-]+(?:\.[a-z\d-]+)+$/i, 'a host name such as "example.org"');
const hostnames = z.array(hostname, 'an array of host names').min(1, 'at least one host name').optional();

const jinaSettings = z.strictObject({
  ...commonSettings('https://deepsearch.jina.ai', JINA_MODELS),
  usdPerMillionTokens: textLike(
    /^(?=.*[1-9])\d{1,3}(?:\.\d{1,9})?$/,
    'a decimal string of US dollars above 0, such as "0.05"',
  ).default(LIST_PRICE_OF_TOKENS),
  onlyHostnames: hostnames,
  badHostnames: hostnames,
});

/**
 * Jina DeepSearch (jina.ai). Its source has not changed since 2025-10, and Jina removed the product from the menu of the site: test the service before you
 * rely on it.
 * 50 requests a minute at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function jina(settings: JinaSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(jinaSettings, settings, 'jina');
  const { usdPerMillionTokens, onlyHostnames, badHostnames } = options;
  // JSON leaves out the fields that are not set.
  const search = { only_hostnames: onlyHostnames, bad_hostnames: badHostnames };
  return {
    id: 'jina',
    name: 'Jina AI',
    models: models.map((model) => atTokenPrice(model, usdPerMillionTokens)),
    limits,
    answer: jinaAnswer(connection, { usdPerMillionTokens, search }),
  };
}

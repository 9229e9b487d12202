import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { jinaAnswer } from './jina-answer.js';
import { atTokenPrice, JINA_MODELS, LIST_PRICE_OF_TOKENS } from './jina-models.js';

export interface JinaSettings extends ProviderSettings {
  /**
   * What the account pays for a million tokens, in USD as a decimal string: Jina reports tokens, never money. Default `"0.05"`, by the package of a billion
   * tokens for 50 USD; large packages cost 0.045, older keys 0.02 (low confidence, 2026-11-20).
   */
  readonly usdPerMillionTokens?: string | undefined;
  /** Hosts that alone are searched and read. Default: all. */
  readonly onlyHostnames?: readonly string[] | undefined;
  /** Hosts that are never searched nor read. Default: none. */
  readonly badHostnames?: readonly string[] | undefined;
}

const USD = 'a decimal string of US dollars above 0, such as "0.05"';
const HOSTNAME = 'a host name such as "example.org"';

const hostnames = z
  .array(z.string(HOSTNAME).regex(/^[a-z\d-]+(?:\.[a-z\d-]+)+$/i, HOSTNAME), 'an array of host names')
  .min(1, 'at least one host name')
  .optional();

const jinaSettings = z.strictObject({
  ...commonSettings('https://deepsearch.jina.ai', JINA_MODELS),
  usdPerMillionTokens: z
    .string(USD)
    .regex(/^(?=.*[1-9])\d{1,3}(?:\.\d{1,9})?$/, USD)
    .default(LIST_PRICE_OF_TOKENS),
  onlyHostnames: hostnames,
  badHostnames: hostnames,
});

/**
 * Jina DeepSearch (jina.ai). Its source has not changed since 2025-10 and it has left the site's menu: see that it still answers before you rely on it.
 * 50 requests a minute at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function jina(settings: JinaSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(jinaSettings, settings, 'jina');
  const { usdPerMillionTokens, onlyHostnames, badHostnames } = options;
  // What is not set is not sent: JSON leaves it out.
  const search = { only_hostnames: onlyHostnames, bad_hostnames: badHostnames };
  return {
    id: 'jina',
    name: 'Jina AI',
    models: models.map((model) => atTokenPrice(model, usdPerMillionTokens)),
    limits,
    answer: jinaAnswer(connection, { usdPerMillionTokens, search }),
  };
}

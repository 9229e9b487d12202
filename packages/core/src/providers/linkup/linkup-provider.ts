import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { linkupAnswer } from './linkup-answer.js';
import { LINKUP_MODELS } from './linkup-models.js';

export interface LinkupSettings extends ProviderSettings {
  /**
   * Asks for marks in the text that say which sentence is based on which source. Numbers in brackets become `[n]`, but no
   * documentation says what form the marks have (2026-11-20), so this is off until you have seen what your account gets. Default `false`.
   */
  readonly inlineCitations?: boolean | undefined;
  /** The most sources an answer is written from. Default: Linkup's own choice. */
  readonly maxResults?: number | undefined;
}

const linkupSettings = z.strictObject({
  ...commonSettings('https://api.linkup.so/v1', LINKUP_MODELS),
  inlineCitations: z.boolean('true or false').default(false),
  maxResults: z.int('a whole number').min(1, 'at least 1').optional(),
});

/**
 * Linkup (linkup.so). Its rate limit holds for the whole organization behind a key: 10 searches a second at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function linkup(settings: LinkupSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(linkupSettings, settings, 'linkup');
  const { inlineCitations, maxResults } = options;
  const search = {
    includeInlineCitations: inlineCitations,
    ...(maxResults === undefined ? {} : { maxResults }),
  };
  return { id: 'linkup', name: 'Linkup', models, limits, answer: linkupAnswer(connection, search) };
}

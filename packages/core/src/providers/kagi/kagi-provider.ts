import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { kagiAnswer } from './kagi-answer.js';
import { KAGI_MODELS } from './kagi-models.js';

export interface KagiSettings extends ProviderSettings {
  /**
   * The word before the key. FastGPT belongs to Kagi's old API, which says `Bot`; the new one (2026) says `Bearer` and does not have
   * FastGPT yet. Should it move there, this and `baseUrl: 'https://kagi.com/api/v1'` follow it. Default `Bot`.
   */
  readonly authScheme?: 'Bot' | 'Bearer' | undefined;
  /**
   * Allows Kagi to answer from its cache, which costs you nothing; callers are still charged, since a reply does not say
   * where it came from. Default `true`, as at Kagi.
   */
  readonly cache?: boolean | undefined;
}

const kagiSettings = z.strictObject({
  ...commonSettings('https://kagi.com/api/v0', KAGI_MODELS),
  authScheme: z.enum(['Bot', 'Bearer'], 'Bot or Bearer').default('Bot'),
  cache: z.boolean('true or false').default(true),
});

/**
 * Kagi (kagi.com), by its FastGPT API. API credit is separate from a Kagi subscription.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function kagi(settings: KagiSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(kagiSettings, settings, 'kagi');
  return { id: 'kagi', name: 'Kagi', models, limits, answer: kagiAnswer(connection, options) };
}

import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { perplexityAnswer } from './perplexity-answer.js';
import { PERPLEXITY_MODELS, SONAR, withoutRates } from './perplexity-models.js';

export interface PerplexitySettings extends ProviderSettings {
  /**
   * The request field that names a level of effort. Perplexity's documents call it `effort` (2026-11-22), its SDKs up to 2026-08 `preset`.
   * Default: `effort`, and `preset` once Perplexity has refused `effort` by name. A field that is set is the only one tried.
   */
  readonly tierField?: 'effort' | 'preset' | undefined;
  /**
   * The model behind the levels of effort. The default, `perplexity/sonar`, keeps prompts with Perplexity; `null` leaves the choice
   * to Perplexity, which then hands prompts to OpenAI or Anthropic (2026-10) at their prices.
   */
  readonly tierModel?: string | null | undefined;
}

const perplexitySettings = z.strictObject({
  ...commonSettings('https://api.perplexity.ai', PERPLEXITY_MODELS),
  tierField: z.enum(['effort', 'preset'], 'effort or preset').optional(),
  tierModel: z
    .string('<provider>/<model> or null')
    .regex(/^[\w.-]+\/[\w.-]+$/, '<provider>/<model> or null')
    .nullable()
    .default(SONAR),
});

/**
 * Perplexity (perplexity.ai), by its Agent API. Requests per second depend on the account's tier: from 1 to 33 at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function perplexity(settings: PerplexitySettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(perplexitySettings, settings, 'perplexity');
  return {
    id: 'perplexity',
    name: 'Perplexity',
    models: models.map((model) => (model.slug === SONAR || options.tierModel === SONAR ? model : withoutRates(model))),
    limits,
    answer: perplexityAnswer(connection, options),
  };
}

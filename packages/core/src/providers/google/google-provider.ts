import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { readModels } from '../../provider-kit/read-models.js';
import { wholeNumber } from '../../provider-kit/setting-schemas.js';
import { googleAnswer } from './google-answer.js';
import { googleEmbedPort } from './google-embed.js';
import rows from './models.json' with { type: 'json' };

/** The settings of `google()`. */
export interface GoogleSettings extends ProviderSettings {
  /**
   * How much a model thinks before it answers; thoughts are billed as output. Only Gemini 4 Hydrogen knows `xhigh`; the other models use
   * `high` instead. Google's own default is `medium` for Gemini 4 Argon and `high` for Hydrogen (2026-11-22). Default `low`.
   */
  readonly thinkingLevel?: 'low' | 'medium' | 'high' | 'xhigh' | undefined;
  /** Most tokens of an answer, its thoughts included, 256 to 65,536: a longer answer fails. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const THINKING_LEVELS = ['low', 'medium', 'high', 'xhigh'] as const;

const googleSettings = z.strictObject({
  ...commonSettings('https://generativelanguage.googleapis.com', readModels('google', rows)),
  thinkingLevel: z.enum(THINKING_LEVELS, 'low, medium, high or xhigh').default('low'),
  maxOutputTokens: wholeNumber(256, 65_536).default(8_192),
});

/**
 * Google (ai.google.dev), by the Gemini API: answers with Google Search, and embeddings. Google's terms bind whoever shows the answers: see docs/providers/google.md.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function google(settings: GoogleSettings): Provider {
  const parsed = parseProviderSettings(googleSettings, settings, 'google');
  const { models, embedModels, common, connection, options } = parsed;
  return {
    id: 'google',
    name: 'Google',
    models,
    ...common,
    answer: googleAnswer(connection, options),
    // As numbers, more vectors would keep other calls waiting while they are parsed.
    embed: { models: embedModels, maxInputs: 24, embed: googleEmbedPort(connection, embedModels) },
  };
}

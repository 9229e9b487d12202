import { z } from 'zod';
import { defineProvider, wholeNumber } from '../../provider-kit/define-provider.js';
import type { Provider, ProviderSettings } from '../../provider-kit/provider.js';
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

/**
 * Google (ai.google.dev), by the Gemini API: answers with Google Search, and embeddings. Google's terms bind whoever shows the answers: see docs/providers/google.md.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const google: (settings: GoogleSettings) => Provider = defineProvider({
  id: 'google',
  name: 'Google',
  baseUrl: 'https://generativelanguage.googleapis.com',
  models: rows,
  byName: ['answer', 'embed'],
  settings: {
    thinkingLevel: z.enum(THINKING_LEVELS, 'low, medium, high or xhigh').default('low'),
    maxOutputTokens: wholeNumber(256, 65_536).default(8_192),
  },
  ports: (connection, options) => ({
    answer: googleAnswer(connection, options),
    // As numbers, more vectors would keep other calls waiting while they are parsed.
    embed: { maxInputs: 24, embed: googleEmbedPort(connection) },
  }),
});

import { z } from 'zod';
import { defineProvider } from '../../provider-kit/define-provider.js';
import type { Provider } from '../../provider-kit/provider.js';
import type { ProviderSettings } from '../../provider-kit/provider-settings.js';
import { embedAt } from '../../provider-kit/ranks-and-vectors.js';
import { textLike, wholeNumber } from '../../provider-kit/setting-schemas.js';
import rows from './models.json' with { type: 'json' };
import { OPENAI_ERRORS, openaiAnswer } from './openai-answer.js';

/** The settings of `openai()`. */
export interface OpenaiSettings extends ProviderSettings {
  /**
   * How much of the found pages the model reads, and so how many input tokens a call takes. Default `low`; OpenAI's default is
   * `medium` (2026-11-20).
   */
  readonly searchContextSize?: 'low' | 'medium' | 'high' | undefined;
  /**
   * How much the model thinks before it answers: more thought finds more, costs more and takes longer. Default `low`. The newest models
   * refuse `none` and `minimal` (medium confidence, 2026-11-20). `max` thinks for minutes: give the model a longer `timeoutMs`.
   */
  readonly reasoningEffort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined;
  /** The country that searches are made from, as an upper-case ISO 3166 code (`"DE"`). Default: no country. */
  readonly country?: string | undefined;
  /** How often the model may search or open a page in one call, 1 to 100. Default 4. */
  readonly maxToolCalls?: number | undefined;
  /** The longest reply in tokens, thoughts included, from 1,024 to 128,000; an answer that reaches it is lost. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/**
 * OpenAI (openai.com), by its Responses API, and `POST /embeddings` (SDK 7.57.0). Limits of requests and tokens per minute hold per organization and model.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const openai: (settings: OpenaiSettings) => Provider = defineProvider({
  id: 'openai',
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  models: rows,
  settings: {
    searchContextSize: z.enum(['low', 'medium', 'high'], 'low, medium or high').default('low'),
    reasoningEffort: z.enum(EFFORTS, 'low, medium, high, xhigh or max').default('low'),
    country: textLike(/^[A-Z]{2}$/, 'an upper-case ISO 3166 country code, such as "DE"').optional(),
    maxToolCalls: wholeNumber(1, 100).default(4),
    maxOutputTokens: wholeNumber(1_024, 128_000).default(8_192),
  },
  ports: (connection, options) => ({
    answer: openaiAnswer(connection, options),
    embed: {
      // Of the longest vectors so many fit into the largest reply that is read.
      maxInputs: 256,
      embed: embedAt(connection, {
        path: '/embeddings',
        errors: OPENAI_ERRORS,
        request: ({ model, inputs, dimensions }) => ({ model, input: inputs, encoding_format: 'base64', dimensions }),
      }),
    },
  }),
});

import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { exaAnswer } from './exa-answer.js';
import { exaDeepAnswer } from './exa-deep-answer.js';
import { EXA_MODELS } from './exa-models.js';

export interface ExaSettings extends ProviderSettings {
  /**
   * Asks `exa/answer` for the text of each cited page, to give citations a snippet. Replies grow from a few to some hundred
   * kilobytes, and whether Exa charges for the text is not documented (2026-11-20); the charge follows what it reports.
   * Default `false`.
   */
  readonly snippets?: boolean | undefined;
}

const exaSettings = z.strictObject({
  ...commonSettings('https://api.exa.ai', EXA_MODELS),
  snippets: z.boolean('true or false').default(false),
});

/**
 * Exa (exa.ai). Its rate limits hold for the whole team behind a key: 10 answers a second at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function exa(settings: ExaSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(exaSettings, settings, 'exa');
  const { snippets } = options;
  const plain = exaAnswer(connection, snippets);
  const deep = exaDeepAnswer(connection);
  return {
    id: 'exa',
    name: 'Exa',
    models,
    limits,
    answer: {
      answer: (call, context) => (call.model.slug === 'exa/answer' ? plain : deep).answer(call, context),
      stream: plain.stream,
    },
  };
}

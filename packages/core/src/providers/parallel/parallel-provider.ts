import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { parallelAnswer } from './parallel-answer.js';
import { PARALLEL_MODELS } from './parallel-models.js';

const parallelSettings = z.strictObject(commonSettings('https://api.parallel.ai', PARALLEL_MODELS));

/**
 * Parallel (parallel.ai), by its Responses API. 300 requests a minute at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function parallel(settings: ProviderSettings): Provider {
  const { models, limits, connection } = parseProviderSettings(parallelSettings, settings, 'parallel');
  return { id: 'parallel', name: 'Parallel', models, limits, answer: parallelAnswer(connection) };
}

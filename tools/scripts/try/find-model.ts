import { ConfigurationError } from '../../../packages/core/src/base/errors/configuration-error.js';
import { nearestNames } from '../../../packages/core/src/base/options/nearest-name.js';
import { LISTED_ROWS } from '../../../packages/core/src/catalog/listed-rows.js';
import type { Provider, ProviderQuestion } from '../../../packages/core/src/provider-kit/provider.js';
import * as allProviders from '../../../packages/core/src/providers/index.js';
import { everyProvider } from '../every-provider.js';

/** A mistake of the user; the message says how to fix it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface Wanted {
  readonly provider: Provider;
  readonly model: ProviderQuestion['model'];
  readonly apiKey: string;
}

/**
 * Builds the provider of a model from the environment.
 *
 * @throws UsageError for an unknown slug, a missing key or a wrong setting.
 */
export function findModel(
  slug: string,
  settings: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): Wanted {
  assertKnown(slug);
  const id = slug.slice(0, slug.indexOf('/'));
  const variable = id.toUpperCase().replaceAll('-', '_');
  const apiKey = environment[`${variable}_API_KEY`];
  if (apiKey === undefined || apiKey === '') throw new UsageError(`${variable}_API_KEY is not set: ${slug} needs it.`);
  const baseUrl = environment[`${variable}_BASE_URL`];
  const provider = build(id, { ...settings, apiKey, ...(baseUrl ? { baseUrl } : {}) });
  const model = provider?.models.find((candidate) => candidate.slug === slug);
  if (provider === undefined || model === undefined)
    throw new UsageError(`With these settings ${provider?.name ?? id} does not offer ${slug}.`);
  return { provider, model, apiKey };
}

function assertKnown(slug: string): void {
  const known = everyProvider().flatMap(({ models }) => models.map((model) => model.slug));
  if (known.includes(slug)) return;
  const [category] = Object.entries(LISTED_ROWS).find(([, rows]) => rows.some(({ id }) => id === slug)) ?? [];
  const what = category === undefined ? 'no model' : `a model for ${category} and cannot be asked`;
  const nearest = nearestNames(slug, known, 3);
  const others = nearest.length === 0 ? `There are ${known.join(', ')}.` : `Did you mean ${nearest.join(', ')}?`;
  throw new UsageError(`${slug} is ${what}. ${others}`);
}

const FACTORIES = new Map<string, (settings: { readonly apiKey: string }) => Provider>(Object.entries(allProviders));

function build(id: string, settings: object & { readonly apiKey: string }): Provider | undefined {
  try {
    return FACTORIES.get(id)?.(settings);
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    throw error;
  }
}

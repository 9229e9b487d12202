import { z } from 'zod';
import type { ModelRow } from '../catalog/model-entry.js';
import type { Connection, EmbedPort, ExtractPort, Provider, RerankPort, SearchPort } from './provider.js';
import { type CommonSettingsOptions, commonSettings, parseProviderSettings } from './provider-settings.js';
import { readModels } from './read-models.js';

/** What a provider does. Each port gets the models of its category. */
interface Ports extends Pick<Provider, 'answer'> {
  readonly search?: SearchPort['search'] | undefined;
  readonly extract?: Omit<ExtractPort, 'models'> | undefined;
  readonly rerank?: RerankPort['rerank'] | undefined;
  readonly embed?: Omit<EmbedPort, 'models'> | undefined;
}

/** The values of a provider's own settings. */
export type OptionsOf<S extends z.ZodRawShape> = z.output<z.ZodObject<S>>;

export interface ProviderIdentity {
  readonly id: string;
  readonly name: string;
  /** `null`: the host has to say it. */
  readonly baseUrl: string | null;
  /** The content of its `models.json`. */
  readonly models: object;
}

export interface ProviderDefinition<S extends z.ZodRawShape> extends ProviderIdentity, CommonSettingsOptions {
  /** Settings beside those of all providers. Default: none. */
  readonly settings?: S | undefined;
  /** An own model as the settings change it, most of all its prices. Default: no change. */
  readonly adjust?: ((model: ModelRow, options: OptionsOf<S>, port: keyof Ports) => ModelRow) | undefined;
  readonly ports: (connection: Connection, options: OptionsOf<S>) => Ports;
}

/** Makes the factory of a built-in provider. The factory throws a ConfigurationError that lists every problem of the settings. */
export function defineProvider<S extends z.ZodRawShape>(definition: ProviderDefinition<S>) {
  const { id, name, baseUrl, settings, adjust = (model) => model, ports } = definition;
  const ownKeys = baseUrl !== null && definition.keyless !== true;
  const rows = readModels(id, definition.models);
  const common = commonSettings(baseUrl, rows, definition);
  const schema = z.strictObject({ ...common, ...settings });
  return (given: unknown): Provider => {
    const parsed = parseProviderSettings(schema, given, id);
    const options = parsed.options as OptionsOf<S>;
    const adjusted = (port: keyof Ports) =>
      parsed.modelsOf[port].map((model) => (rows[port].includes(model) ? adjust(model, options, port) : model));
    const { answer, search, extract, rerank, embed } = ports(parsed.connection, options);
    return {
      id,
      name,
      models: adjusted('answer'),
      ...parsed.common,
      ownKeys,
      ...(answer && { answer }),
      ...(search && { search: { models: adjusted('search'), search } }),
      ...(extract && { extract: { models: adjusted('extract'), ...extract } }),
      ...(rerank && { rerank: { models: adjusted('rerank'), rerank } }),
      ...(embed && { embed: { models: adjusted('embed'), ...embed } }),
    };
  };
}

/** A whole number from `least` to `most`, both included. */
export function wholeNumber(least: number, most: number): z.ZodInt {
  const expected = `a whole number from ${least} to ${most}`;
  return z.int(expected).min(least, expected).max(most, expected);
}

/** A text that matches a pattern. @param expected describes the text to the host, for example: a country code such as "DE". */
export function textLike(pattern: RegExp, expected: string): z.ZodString {
  return z.string(expected).regex(pattern, expected);
}

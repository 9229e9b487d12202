import { z } from 'zod';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { isApiKey } from '../base/options/is-api-key.js';
import type { ApiKeySource, CallContext, Connection, ProviderSettings } from './provider.js';
import { keySettings, pickSetting } from './provider-limit-settings.js';
import { objectOf } from './reply-fields.js';

/** What a key has to be. */
export const WANTED_KEY = 'a key without spaces, line ends or quotes around it, or a function that returns one';

/** Whether a value is a key, or a function that may give one. */
export function isApiKeySource(value: unknown): value is ApiKeySource {
  return typeof value === 'function' || isApiKey(value);
}

const namedKey = z.strictObject(
  { key: z.custom<ApiKeySource>(isApiKeySource, WANTED_KEY), ...keySettings, name: keySettings.name.optional() },
  'an object such as { key: "…", name: "main" }',
);

const namedKeys = z
  .array(namedKey, 'an array of keys')
  .min(1, 'at least one key')
  .transform((list) => list.map(({ name, ...each }, index) => ({ ...each, name: name ?? `key-${index + 1}` })))
  .superRefine((list, context) => {
    const seen = new Set<unknown>();
    for (const [index, { key, name }] of list.entries()) {
      // Names are shown to operators.
      const isNoName = seen.has(name) || list.some((each) => each.key === name);
      if (seen.has(key)) context.addIssue({ code: 'custom', path: [index, 'key'], message: 'no key twice' });
      if (isNoName)
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'a name of its own, and no key' });
      seen.add(key).add(name);
    }
  });

/** The settings of a provider with several keys. */
export const keyListSettings = { apiKeys: namedKeys.optional(), pick: pickSetting.optional() };

/** Settings with a list of keys need no `apiKey`. @throws ConfigurationError for both, and for `pick` without a list. */
export function withoutApiKey(settings: unknown, id: string): unknown {
  const { apiKey, apiKeys, pick }: Partial<ProviderSettings> = objectOf(settings);
  const refuse = (field: string, found: string, expected: string) =>
    new ConfigurationError([{ path: `${id}.${field}`, found, expected }]);
  if (apiKeys === undefined && pick !== undefined) throw refuse('pick', 'a value without apiKeys', 'both or none');
  if (apiKeys === undefined) return settings;
  if (apiKey !== undefined) throw refuse('apiKeys', 'a value beside apiKey', 'one of them');
  // The list takes its place, and is checked by its own rules.
  return { ...(settings as object), apiKey: () => '' };
}

interface GivenKeys extends z.output<z.ZodObject<typeof keyListSettings>> {
  readonly apiKey: ApiKeySource;
}

/** The keys of checked settings: those that requests send, and the names that the gateway knows. */
export function keysOf({ apiKey, apiKeys, pick = 'first' }: GivenKeys) {
  if (apiKeys === undefined) return { apiKey };
  const list = apiKeys.map(({ key, ...each }) => ({ ...each, rotates: typeof key === 'function' }));
  const named = new Map(apiKeys.map(({ name, key }) => [name, key]));
  return { apiKey: apiKeys[0]?.key ?? apiKey, apiKeys: named, keys: { pick, list } };
}

/** The key of the organization, else the one that the gateway has named for a request, else the only or the first one. */
export function keySourceOf({ apiKey, apiKeys }: Connection, { keyName, apiKey: own }: CallContext): ApiKeySource {
  return own ?? (keyName === undefined ? undefined : apiKeys?.get(keyName)) ?? apiKey;
}

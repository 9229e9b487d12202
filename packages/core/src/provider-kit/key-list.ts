import { z } from 'zod';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import type { ApiKeySource, CallContext, Connection, NamedApiKey, ProviderKeys, ProviderSettings } from './provider.js';
import { keySettings, pickSetting } from './provider-limit-settings.js';
import { objectOf } from './reply-fields.js';

/** What a key has to be. */
export const WANTED_KEY = 'a key without spaces, line ends or quotes around it, or a function that returns one';

/** Whether a value can be sent in a header as a key. The usual mistakes are a line end after a key that was read from a file, and quotes of an env file. */
export function isApiKey(value: unknown): value is string {
  return typeof value === 'string' && /^(?!["'])[\x21-\x7e]+$/.test(value);
}

/** Whether a value is a key, or a function that may give one. */
export function isApiKeySource(value: unknown): value is ApiKeySource {
  return typeof value === 'function' || isApiKey(value);
}

const namedKey = z.strictObject(
  { key: z.custom<ApiKeySource>(isApiKeySource, WANTED_KEY), ...keySettings, name: keySettings.name.optional() },
  'an object such as { key: "…", name: "main" }',
);

/** The settings of a provider with several keys. */
export const keyListSettings = {
  apiKeys: z.array(namedKey, 'an array of keys').min(1, 'at least one key').superRefine(checkList).optional(),
  pick: pickSetting.optional(),
};

function nameOf({ name }: Pick<NamedApiKey, 'name'>, index: number): string {
  return name ?? `key-${index + 1}`;
}

function checkList(list: readonly NamedApiKey[], context: z.RefinementCtx): void {
  const keys = new Set(list.map(({ key }) => key));
  const seen = new Set<unknown>();
  for (const [index, each] of list.entries()) {
    const name = nameOf(each, index);
    const refuse = (field: keyof NamedApiKey, message: string) =>
      context.addIssue({ code: 'custom', path: [index, field], message });
    if (seen.has(each.key)) refuse('key', 'no key twice');
    // Names are shown to operators.
    if (seen.has(name) || keys.has(name)) refuse('name', 'a name that no other key has, and that is no key');
    seen.add(each.key).add(name);
  }
}

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

interface GivenKeys {
  readonly apiKey: ApiKeySource;
  readonly apiKeys?: readonly NamedApiKey[] | undefined;
  readonly pick?: ProviderKeys['pick'] | undefined;
}

/** The keys of checked settings: those that requests send, and the names that the gateway knows. */
export function keysOf({ apiKey, apiKeys = [], pick = 'first' }: GivenKeys): Sources {
  const [first] = apiKeys;
  if (first === undefined) return { apiKey };
  const list = apiKeys.map(({ key, ...each }, index) => ({
    ...each,
    name: nameOf(each, index),
    rotates: typeof key === 'function',
  }));
  const named = apiKeys.map((each, index) => [nameOf(each, index), each.key] as const);
  return { apiKey: first.key, apiKeys: new Map(named), keys: { pick, list } };
}

interface Sources extends Pick<Connection, 'apiKey' | 'apiKeys'> {
  readonly keys?: ProviderKeys;
}

/** The key that the gateway has named for a request, else the only or the first one. */
export function keySourceOf({ apiKey, apiKeys }: Connection, { keyName }: CallContext): ApiKeySource {
  return (keyName === undefined ? undefined : apiKeys?.get(keyName)) ?? apiKey;
}

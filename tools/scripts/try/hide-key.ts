import { maskSecrets } from '../../../packages/core/src/upstream/redact.js';

/** Hides a key, and any eight consecutive characters of it, in a text. */
export type HideKey = (text: string) => string;

/** Recognizes the key as plain text, inside JSON and inside a URL. */
export function hideKey(apiKey: string): HideKey {
  const forms = new Set([apiKey, JSON.stringify(apiKey).slice(1, -1), encodeURIComponent(apiKey)]);
  return (text) => maskSecrets(text, forms);
}

/** A JSON value with the key hidden in all of its texts, including field names. */
export function withoutKey(value: unknown, hide: HideKey): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((element) => withoutKey(element, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [hide(name), withoutKey(field, hide)]));
}

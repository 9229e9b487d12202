import { RequestError } from '../../errors/request-error.js';
import type { JsonObject } from '../parse-json.js';
import { own } from '../wire-schemas.js';

type Asks = (value: unknown) => boolean;

const anything: Asks = () => true;
const otherThan =
  (...harmless: readonly unknown[]): Asks =>
  (value) =>
    !harmless.includes(value);
const otherFormat: Asks = (value) => (value as { type?: unknown }).type !== 'text';
const otherModality: Asks = (value) => !Array.isArray(value) || value.some((modality) => modality !== 'text');

/**
 * Fields that would change what is answered, and what of their values asks for that. Ignored, they would let callers believe that they were
 * followed. What only steers how a model writes, such as `temperature` or `stop`, is ignored.
 */
export const UNSUPPORTED: readonly (readonly [field: string, asks: Asks])[] = [
  ['tools', anything],
  ['tool_choice', otherThan('none', 'auto')],
  ['functions', anything],
  ['function_call', otherThan('none', 'auto')],
  ['n', otherThan(1)],
  ['response_format', otherFormat],
  ['modalities', otherModality],
  ['audio', anything],
  ['logprobs', anything],
  ['top_logprobs', otherThan(0)],
  ['store', anything],
  ['moderation', anything],
  // What other services with web search take. Ours is `search`.
  ['web_search_options', anything],
  ['search_mode', anything],
  ['search_domain_filter', anything],
  ['search_language_filter', anything],
  ['search_recency_filter', anything],
  ['search_after_date_filter', anything],
  ['search_before_date_filter', anything],
  ['last_updated_after_filter', anything],
  ['last_updated_before_filter', anything],
  ['return_images', anything],
  ['return_related_questions', anything],
  ['plugins', anything],
  // Reserved in `POST /answer` too.
  ['cache', anything],
  ['models', anything],
  ['provider', anything],
  ['instructions', anything],
];

/** @throws RequestError `unsupported_field` naming the first field that asks for something this endpoint cannot do. */
export function refuseUnsupportedFields(body: JsonObject): void {
  for (const [field, asks] of UNSUPPORTED) {
    const value = own(body, field);
    if (!asksForNothing(value) && asks(value)) throw new RequestError('unsupported_field', { param: field });
  }
}

/** Clients send empty lists and objects for what they do not use. */
function asksForNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return [undefined, null, false, ''].includes(value as null);
}

import { RequestError } from '../../errors/request-error.js';
import type { JsonObject } from '../parse-json.js';
import { own } from '../wire-schemas.js';

type Asks = (value: unknown) => boolean;

const anything: Asks = () => true;
const otherThan =
  (...harmless: readonly unknown[]): Asks =>
  (value) =>
    !harmless.includes(value);
/** Clients send empty lists and objects for what they do not use. */
const filled: Asks = (value) => {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return otherThan('', false)(value);
};
const otherFormat: Asks = (value) => (value as { type?: unknown }).type !== 'text';
const otherModality: Asks = (value) => !Array.isArray(value) || value.some((modality) => modality !== 'text');

/**
 * Fields that would change what is answered, and what of their values asks for that. Ignored, they would let callers believe that they were
 * followed. What only steers how a model writes, such as `temperature` or `stop`, is ignored.
 */
const UNSUPPORTED: readonly (readonly [field: string, asks: Asks])[] = [
  ['tools', filled],
  ['tool_choice', otherThan('none', 'auto')],
  ['functions', filled],
  ['function_call', otherThan('none', 'auto')],
  ['n', otherThan(1)],
  ['response_format', otherFormat],
  ['modalities', otherModality],
  ['audio', filled],
  ['logprobs', otherThan(false)],
  ['top_logprobs', otherThan(0)],
  ['store', otherThan(false)],
  ['moderation', filled],
  // What other services with web search take. Ours is `search`.
  ['web_search_options', filled],
  ['search_mode', filled],
  ['search_domain_filter', filled],
  ['search_language_filter', filled],
  ['search_recency_filter', filled],
  ['search_after_date_filter', filled],
  ['search_before_date_filter', filled],
  ['last_updated_after_filter', filled],
  ['last_updated_before_filter', filled],
  ['return_images', filled],
  ['return_related_questions', filled],
  ['plugins', filled],
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
    if (value !== undefined && value !== null && asks(value))
      throw new RequestError('unsupported_field', { param: field });
  }
}

import { createNamesCheck, createPlaces } from '../../calls/field-names.js';

type Asks = (value: unknown) => boolean;

const FIELDS = ['model', 'messages', 'stream', 'stream_options', 'include_citations', 'search', 'routing', 'tag'];

/** Fields of OpenAI's beside those that `POST /answer` refuses too, which would change what is answered. */
const MORE: ReadonlyMap<string, string | null> = new Map([
  ['tool_choice', null],
  ['function_call', null],
  ['n', null],
  ['modalities', null],
  ['audio', null],
  ['logprobs', null],
  ['top_logprobs', null],
  ['logit_bias', null],
  ['reasoning', null],
  ['thinking', null],
  ['query', 'query'],
]);

const otherThan =
  (...harmless: readonly unknown[]): Asks =>
  (value) =>
    !harmless.includes(value);

/** Values by which clients ask for nothing, beside those that are empty. `metadata` is only kept by the service. */
const ASKS: ReadonlyMap<string, Asks> = new Map([
  ['tool_choice', otherThan('none', 'auto')],
  ['function_call', otherThan('none', 'auto')],
  ['n', otherThan(1)],
  ['response_format', (value) => (value as { type?: unknown }).type !== 'text'],
  ['modalities', (value) => !Array.isArray(value) || value.some((modality) => modality !== 'text')],
  ['top_logprobs', otherThan(0)],
  ['metadata', () => false],
]);

/**
 * Builds the check of the names of a chat completion's fields. What only samples how a model writes, such as `temperature`, is ignored, and so is what only
 * concerns the service, such as `store` and `service_tier`.
 */
export function chatNamesCheck(nameOf: (field: string) => string): (body: object) => void {
  return createNamesCheck({ fields: FIELDS, nameOf, placeOf: createPlaces(nameOf, MORE), asks });
}

function asks(name: string, value: unknown): boolean {
  return !isEmpty(value) && ASKS.get(name)?.(value) !== false;
}

/** Clients send empty lists and objects for what they do not use. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return [undefined, null, false, ''].includes(value as null);
}

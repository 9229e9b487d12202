import { asksForSomething } from '../openai-form/asks-for-something.js';
import { createNamesCheck, createPlaces } from '../openai-form/field-names.js';
import { ANSWER_FIELDS } from '../wire-schemas.js';

const FIELDS = [...ANSWER_FIELDS.filter((field) => field !== 'query'), 'stream_options'];

/** Names refused here, in addition to those that `POST /answer` refuses. */
const MORE: ReadonlyMap<string, string> = new Map([['query', 'query']]);

/**
 * Builds the check of the names of a chat completion's fields. Ignores fields that only affect sampling, such as `temperature`, and fields that only
 * concern the service, such as `store` and `service_tier`.
 */
export function chatNamesCheck(nameOf: (field: string) => string): (body: object) => void {
  return createNamesCheck({ fields: FIELDS, nameOf, placeOf: createPlaces(nameOf, MORE), asks: asksForSomething });
}

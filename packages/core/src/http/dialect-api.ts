import type { Clock } from '../base/time/clock.js';
import { createAnswerFieldsCheck } from '../request/answer-fields.js';
import { createNamesCheck, createPlaces, type OtherField } from '../request/field-names.js';
import type { AnswerApi } from './answer-api.js';
import type { Dialect } from './dialect.js';
import { wireName } from './wire-name.js';
import { ownFields } from './wire-schemas.js';

/** Makes the answer API of a dialect. */
export function dialectApi(dialect: Dialect, maxQueryCharacters: number, clock: Pick<Clock, 'now'>): AnswerApi {
  const { name, presentError, errorHeaders } = dialect;
  const nameOf = (field: string) => dialect.nameOf(wireName(field));
  const { read: fields, ignored, refused } = dialect.fields;
  const placeOf = createPlaces(nameOf, Object.entries(refused));
  const checkNames = createNamesCheck({ fields, ignored, nameOf, placeOf, asks });
  const check = createAnswerFieldsCheck(maxQueryCharacters, nameOf);
  return {
    name,
    presentError,
    errorHeaders,
    read(body) {
      const ignoredFields = checkNames(body);
      const question = dialect.read(body, clock);
      return { fields: check(ownFields(question.fields)), format: question.format, ignoredFields };
    },
  };
}

/** Features that are on unless a field is `false`: by the equivalent field here, else by the refused name. */
const ON_BY_DEFAULT: ReadonlySet<string> = new Set([
  'include_citations',
  'search',
  'routing',
  'routing.fallbacks',
  'cache',
  'enablesearch',
]);

function asks({ name, place, value }: OtherField): boolean {
  if (value === false) return ON_BY_DEFAULT.has(place ?? name);
  // Clients send empty lists, objects and texts in fields that they do not use.
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== '';
}

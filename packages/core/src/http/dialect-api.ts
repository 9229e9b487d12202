import type { Clock } from '../base/time/clock.js';
import { createAnswerFieldsCheck, formNames } from '../request/answer-fields.js';
import type { AnswerApi } from './answer-api.js';
import type { Dialect } from './dialect.js';
import { wireName } from './wire-name.js';
import { ownFields } from './wire-schemas.js';

/** Makes the answer API of a dialect. */
export function dialectApi(dialect: Dialect, maxQueryCharacters: number, clock: Pick<Clock, 'now'>): AnswerApi {
  const { name, presentError, errorHeaders } = dialect;
  const nameOf = (field: string) => dialect.nameOf(wireName(field));
  const checkNames = formNames(dialect.fields, nameOf);
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

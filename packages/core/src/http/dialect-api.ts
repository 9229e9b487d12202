import { KINDS } from '../kinds/kinds.js';
import { createAnswerFieldsCheck, formNames } from '../request/answer-fields.js';
import { kindFormNames } from '../request/kind-fields.js';
import type { AnswerApi } from './answer-api.js';
import type { Dialect } from './dialect.js';
import type { HandlerDeps } from './endpoint.js';
import { callReaders } from './kind-endpoint.js';
import { wireName } from './wire-name.js';
import { ownFields } from './wire-schemas.js';

/** Makes the API of a dialect. */
export function dialectApi(deps: HandlerDeps, dialect: Dialect): AnswerApi {
  const { kind = 'answer', fields, whenUnsupported } = dialect;
  const { maxQueryCharacters } = deps.limits;
  const nameOf = (field: string) => (fields.read.includes(field) ? field : dialect.nameOf(wireName(field)));
  const checkNames =
    kind === 'answer'
      ? formNames(fields, nameOf)
      : kindFormNames(KINDS[kind], { form: fields, nameOf, maxQueryCharacters });
  const check = createAnswerFieldsCheck(maxQueryCharacters, nameOf);
  const readers = callReaders(deps);
  return {
    ...dialect,
    read(body) {
      const ignoredFields = checkNames(body);
      const asked = dialect.read(body, deps.clock);
      if ('category' in asked)
        return { call: readers[asked.category](asked.fields), format: asked.format, ignoredFields };
      const question = Object.assign(check(ownFields(asked.fields)), { whenUnsupported });
      return { fields: question, format: asked.format, ignoredFields };
    },
  };
}

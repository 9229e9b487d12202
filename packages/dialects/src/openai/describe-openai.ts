import type { DescribedQuestion, DialectDescription } from '@searchgate/core/extensions';
import { OPENAI_ERROR_HEADERS, openAiErrorBody } from './openai-error.js';

interface OpenAiForm {
  /** Begins the names of the schemas. */
  readonly name: string;
  /** In the summary. */
  readonly form: string;
  /** The fields of a request besides those of `POST /api/v1/answer`. */
  readonly asked: object;
  /** Has the required fields of a request. */
  readonly example: object;
  /** A whole answer, and an event of a stream. */
  readonly schemas: DialectDescription['schemas'];
}

/** Describes a path in a form of OpenAI's. Less strict than the checks, because OpenAI has many fields and most are ignored. */
export function describeOpenAi(
  { properties }: DescribedQuestion,
  { name, form, asked, example, schemas }: OpenAiForm,
): DialectDescription {
  const { model, include_citations, stream, search, routing, tag } = properties;
  const request = {
    type: 'object',
    description: "A question in OpenAI's form. Fields that only steer how a model writes are ignored.",
    properties: { ...asked, model, include_citations, stream, search, routing, tag },
    required: Object.keys(example),
    examples: [example],
  };
  return {
    operationId: `create${name}`,
    summary: `Ask a question in the form of OpenAI's ${form}`,
    description: 'The same as `POST /api/v1/answer`, for clients that only know this form.',
    schemas: { ...schemas, [`${name}Request`]: request },
    request: `${name}Request`,
    answer: name,
    event: `${name}Event`,
    errorBody: openAiErrorBody,
    errorHeaders: OPENAI_ERROR_HEADERS,
  };
}

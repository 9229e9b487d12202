import type { z } from 'zod';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import type { ListedKind } from '../../kinds/kind.js';
import { KIND_LIST } from '../../kinds/kinds.js';
import { defaultModelOf, type EndpointOptions } from '../endpoint-options.js';
import { CALLER_HEADERS, operationOf } from './answer-operations.js';
import { refTo } from './json-schemas.js';
import { kindRequestSchema } from './request-schemas.js';
import { errorResponses, OPERATION_REASONS } from './responses.js';

/** The parts of the document for the kinds of calls. A path that the host has taken is left out. */
export function kindParts(endpoints: EndpointOptions, maxQueryCharacters: number) {
  const served = KIND_LIST.filter(([name]) => endpoints[name] !== false);
  return {
    paths: Object.fromEntries(served.flatMap(([, kind]) => kind.paths.map((path) => [path, operationAt(path, kind)]))),
    requestSchemas: Object.fromEntries(
      served.map(([name, kind]) => {
        const form = { maxQueryCharacters, hasDefault: defaultModelOf(endpoints[name]) !== undefined };
        return [`${kind.reply.name}Request`, kindRequestSchema(kind, form)];
      }),
    ),
    replySchemas: Object.assign({}, ...served.map(([, { reply }]) => reply.schemas())) as Record<string, z.ZodType>,
  };
}

function operationAt(path: string, { paths, operation, reply: { name, example } }: ListedKind): JsonSchema {
  const { reasons = [], operationId, ...about } = operation;
  const at = paths.indexOf(path);
  const post = operationOf({
    ...about,
    operationId: at === 0 ? operationId : `${operationId}${at + 1}`,
    asked: { schema: refTo('schemas', `${name}Request`) },
    answered: [about.summary, { schema: refTo('schemas', name), example }],
    errors: errorResponses([...OPERATION_REASONS.kind, ...reasons], CALLER_HEADERS),
  });
  return { post };
}

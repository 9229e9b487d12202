import type { JsonSchema } from '../../base/options/read-request-options.js';
import type { Extension } from '../extension.js';
import { COMMON_HEADERS, headersOf } from './headers.js';

/** The path of an extension, as the extension describes it. */
export function extensionPath({ name, describe }: Pick<Extension, 'name' | 'describe'>): JsonSchema {
  return { post: describe?.() ?? undescribed(name) };
}

/** Of an extension that says nothing about itself. */
function undescribed(name: string): JsonSchema {
  const response = (description: string) => ({
    description,
    headers: headersOf(COMMON_HEADERS),
    content: { 'application/json': { schema: { type: 'object' } } },
  });
  return {
    operationId: name,
    tags: ['Extensions'],
    summary: `Use the extension ${name}`,
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    responses: { '2XX': response('What was asked for.'), '4XX': response('An error.'), '5XX': response('An error.') },
  };
}

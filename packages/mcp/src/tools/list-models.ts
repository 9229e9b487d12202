import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { ModelBody } from '@searchgate/core/extensions';
import type { ToolCall } from './tool-call.js';
import { toolError } from './tool-error.js';

const MODEL_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'What search_answer takes as "model".' },
    name: { type: 'string' },
    provider: { type: 'string' },
    description: { type: 'string' },
    pricing: {
      type: 'object',
      description: 'USD as decimal strings. A "request" of "-1" is a price that depends on the length of the answer.',
    },
    options: { type: 'array', items: { type: 'string' }, description: 'The keys of "search" that it honors.' },
  },
  required: ['id', 'name', 'provider', 'description', 'pricing', 'options'],
};

export const LIST_MODELS: Tool = {
  name: 'list_models',
  title: 'List models',
  description: 'Lists the models that search_answer can ask, with prices and search options. Costs nothing.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: {
    type: 'object',
    properties: { models: { type: 'array', items: MODEL_SCHEMA } },
    required: ['models'],
  },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

export const listModels: ToolCall = async (_args, source, signal) => {
  const { value, problem } = await source.models(signal);
  if (problem !== null) return toolError(problem);
  const models = value.map(({ id, name, provider, description, pricing, options = [] }) => {
    return { id, name, provider, description, pricing, options };
  });
  return { content: [{ type: 'text', text: value.map(modelLine).join('\n') }], structuredContent: { models } };
};

function modelLine({ id, description, pricing: { request }, options = [] }: ModelBody): string {
  const price =
    request === undefined || request === '-1' ? 'its price depends on the answer' : `USD ${request} a question`;
  const search = options.length === 0 ? 'no search options' : `search options ${options.join(', ')}`;
  return `${id}: ${description} (${price}; ${search})`;
}

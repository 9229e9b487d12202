import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Answer } from '@searchgate/core/extensions';
import { SEARCH_SCHEMA } from './search-schema.js';
import type { ToolCall } from './tool-call.js';
import { toolError } from './tool-error.js';

const CITATION_SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    url: { type: 'string' },
    snippet: { type: 'string', description: 'Text of the page; empty where the provider gives none.' },
  },
  required: ['title', 'url', 'snippet'],
};

const OUTPUT_SCHEMA: Tool['outputSchema'] = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    answer: { type: 'string', description: 'With markers such as [1], which count the citations from 1.' },
    citations: { type: 'array', items: CITATION_SCHEMA },
    model: { type: 'string', description: 'The model that answered.' },
    provider: { type: 'string' },
    cost: { type: 'number', description: 'What was charged, USD.' },
  },
  required: ['id', 'answer', 'citations', 'model', 'provider', 'cost'],
};

/** The tool as clients see it. */
export function searchAnswerTool(defaultModel: string | undefined): Tool {
  return {
    name: 'search_answer',
    title: 'Answer from the web',
    description: 'Searches the web and answers a question in words, with numbered sources. Ask one complete question.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, description: 'The question, complete in itself.' },
        model: { type: 'string', description: modelDescription(defaultModel) },
        search: SEARCH_SCHEMA,
      },
      required: defaultModel === undefined ? ['query', 'model'] : ['query'],
    },
    outputSchema: OUTPUT_SCHEMA,
    // It changes only what is charged, and rests on pages of the open web.
    annotations: { readOnlyHint: true, openWorldHint: true },
  };
}

function modelDescription(defaultModel: string | undefined): string {
  const names = 'The model to ask, by its id in list_models, such as "exa/answer".';
  return defaultModel === undefined ? names : `${names} Default: "${defaultModel}".`;
}

export function createSearchAnswer(defaultModel: string | undefined): ToolCall {
  // Arguments that are none go to the gateway too, which refuses those that an agent may believe in, such as `max_results`.
  return async ({ stream: _stream, include_citations: _citations, ...args }, source, signal) => {
    const { value, problem } = await source.answer({ ...args, model: args['model'] ?? defaultModel }, signal);
    if (problem !== null) return toolError(problem);
    const { id, answer, citations = [], model: answeredBy, provider, usage } = value;
    return {
      content: [{ type: 'text', text: answerText(answer, citations) }],
      structuredContent: { id, answer, citations, model: answeredBy, provider, cost: usage.cost },
    };
  };
}

/** For clients without structured content. */
function answerText(answer: string, citations: NonNullable<Answer['citations']>): string {
  if (citations.length === 0) return answer;
  const sources = citations.map(({ title, url }, index) => `[${index + 1}] ${title}: ${url}`);
  return `${answer}\n\nSources:\n${sources.join('\n')}`;
}

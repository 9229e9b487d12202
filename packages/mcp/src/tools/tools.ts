import type { Answer, ModelBody } from '@searchgate/core/extensions';
import type { CallCategory } from '../gateway-source.js';
import { fetchTool, searchTool } from './page-tools.js';
import { SEARCH_SCHEMA } from './search-schema.js';
import { COST, OF_THE_WEB, objectOf, type ServedTool, TEXT, type Tool, toolError, toolResult } from './tool.js';

const CITATION_SCHEMA = objectOf({
  title: TEXT,
  url: TEXT,
  snippet: { type: 'string', description: 'Text of the page; empty where the provider gives none.' },
});

const OUTPUT_SCHEMA = objectOf({
  id: TEXT,
  answer: { type: 'string', description: 'With citation markers: [1] refers to the first citation.' },
  citations: { type: 'array', items: CITATION_SCHEMA },
  model: { type: 'string', description: 'The model that answered.' },
  provider: TEXT,
  cost: COST,
});

function searchAnswerTool(defaultModel: string | undefined): ServedTool {
  const inputs = {
    query: { type: 'string', minLength: 1, description: 'The question, complete in itself.' },
    model: { type: 'string', description: modelDescription(defaultModel) },
    search: SEARCH_SCHEMA,
  };
  const tool = {
    name: 'search_answer',
    title: 'Answer from the web',
    description: 'Searches the web and answers a question in words, with numbered sources. Ask one complete question.',
    inputSchema: objectOf(inputs, defaultModel === undefined ? ['query', 'model'] : ['query']),
    outputSchema: OUTPUT_SCHEMA,
    annotations: OF_THE_WEB,
  };
  return {
    tool,
    // Unknown arguments go to the gateway too, which refuses those that would mislead an agent, such as `max_results`.
    async call({ stream: _stream, include_citations: _citations, ...args }, source, signal) {
      const fields = { ...args, model: args['model'] ?? defaultModel };
      const { value, problem } = await source.call('answer', fields, signal);
      if (problem !== null) return toolError(problem);
      const { id, answer, citations = [], model, provider, usage } = value;
      return toolResult(answerText(answer, citations), { id, answer, citations, model, provider, cost: usage.cost });
    },
  };
}

function modelDescription(defaultModel: string | undefined): string {
  const names = 'The model to ask, by its id in list_models, such as "exa/answer".';
  return defaultModel === undefined ? names : `${names} Default: "${defaultModel}".`;
}

/** For clients without structured content. */
function answerText(answer: string, citations: NonNullable<Answer['citations']>): string {
  if (citations.length === 0) return answer;
  const sources = citations.map(({ title, url }, index) => `[${index + 1}] ${title}: ${url}`);
  return `${answer}\n\nSources:\n${sources.join('\n')}`;
}

const MODEL_SCHEMA = objectOf({
  id: { type: 'string', description: 'The value of "model" for a tool.' },
  category: { type: 'string', description: 'Of search_answer "answer", of search "search", of fetch "extract".' },
  name: TEXT,
  provider: TEXT,
  description: TEXT,
  pricing: {
    type: 'object',
    description: 'USD as decimal strings. A "request" of "-1" is a price that depends on the length of the answer.',
  },
  options: { type: 'array', items: TEXT, description: 'The supported keys of "search".' },
});

const LIST_MODELS: Tool = {
  name: 'list_models',
  title: 'List models',
  description: 'Lists the models that the tools can call, with prices and search options. Costs nothing.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: objectOf({ models: { type: 'array', items: MODEL_SCHEMA } }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

/** @param categories of the models that the tools call. */
function listModelsTool(categories: readonly CallCategory[]): ServedTool {
  return {
    tool: LIST_MODELS,
    async call(_args, source, signal) {
      const { value, problem } = await source.models(categories, signal);
      if (problem !== null) return toolError(problem);
      const models = value.map(({ id, category, name, provider, description, pricing, options = [] }) => {
        return { id, category, name, provider, description, pricing, options };
      });
      return toolResult(value.map(modelLine).join('\n'), { models });
    },
  };
}

function modelLine({ id, category, description, pricing: { request }, options = [] }: ModelBody): string {
  const unit = category === 'answer' ? 'question' : 'call';
  const price =
    request === undefined || request === '-1' ? 'its price depends on the reply' : `USD ${request} a ${unit}`;
  const search = options.length === 0 ? 'no search options' : `search options ${options.join(', ')}`;
  return `${id}: ${description} (${price}; ${search})`;
}

/** The models of the tools: each a model, alias or group. */
export interface ToolModels {
  /** Of `search_answer` when the agent names none. Default: none; the agent has to name a model. */
  readonly defaultModel?: string | undefined;
  /** Of the tool `search` when the agent names none. Default: none; there is no such tool. */
  readonly search?: string | undefined;
  /** Of the tool `fetch`, which reads a page, when the agent names none. Default: none; there is no such tool. */
  readonly fetch?: string | undefined;
}

/** The tools by name, in the order of their list. */
export type Tools = ReadonlyMap<string, ServedTool>;

export function createTools({ defaultModel, search, fetch }: ToolModels): Tools {
  const tools = [searchAnswerTool(defaultModel)];
  const categories: CallCategory[] = ['answer'];
  if (search !== undefined) {
    tools.push(searchTool(search));
    categories.push('search');
  }
  if (fetch !== undefined) {
    tools.push(fetchTool(fetch));
    categories.push('extract');
  }
  tools.push(listModelsTool(categories));
  return new Map(tools.map((served) => [served.tool.name, served]));
}

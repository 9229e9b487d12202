import type { Answer, ModelBody } from '@searchgate/core/extensions';
import type { CallCategory } from '../gateway-source.js';
import { createFetch, createSearch, FETCH, searchTool } from './page-tools.js';
import { SEARCH_SCHEMA } from './search-schema.js';
import { OF_THE_WEB, type Tool, type ToolCall, toolError, toolResult } from './tool.js';

const CITATION_SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    url: { type: 'string' },
    snippet: { type: 'string', description: 'Text of the page; empty where the provider gives none.' },
  },
  required: ['title', 'url', 'snippet'],
};

const OUTPUT_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    answer: { type: 'string', description: 'With citation markers: [1] refers to the first citation.' },
    citations: { type: 'array', items: CITATION_SCHEMA },
    model: { type: 'string', description: 'The model that answered.' },
    provider: { type: 'string' },
    cost: { type: 'number', description: 'The charge in USD.' },
  },
  required: ['id', 'answer', 'citations', 'model', 'provider', 'cost'],
};

/** The tool as clients see it. */
function searchAnswerTool(defaultModel: string | undefined): Tool {
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
    annotations: OF_THE_WEB,
  };
}

function modelDescription(defaultModel: string | undefined): string {
  const names = 'The model to ask, by its id in list_models, such as "exa/answer".';
  return defaultModel === undefined ? names : `${names} Default: "${defaultModel}".`;
}

function createSearchAnswer(defaultModel: string | undefined): ToolCall {
  // Unknown arguments go to the gateway too, which refuses those that would mislead an agent, such as `max_results`.
  return async ({ stream: _stream, include_citations: _citations, ...args }, source, signal) => {
    const { value, problem } = await source.call('answer', { ...args, model: args['model'] ?? defaultModel }, signal);
    if (problem !== null) return toolError(problem);
    const { id, answer, citations = [], model: answeredBy, provider, usage } = value;
    const structured = { id, answer, citations, model: answeredBy, provider, cost: usage.cost };
    return toolResult(answerText(answer, citations), structured);
  };
}

/** For clients without structured content. */
function answerText(answer: string, citations: NonNullable<Answer['citations']>): string {
  if (citations.length === 0) return answer;
  const sources = citations.map(({ title, url }, index) => `[${index + 1}] ${title}: ${url}`);
  return `${answer}\n\nSources:\n${sources.join('\n')}`;
}

const MODEL_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'The value of "model" for a tool.' },
    category: {
      type: 'string',
      description: 'The tool: "answer" for search_answer, "search" for search, "extract" for fetch.',
    },
    name: { type: 'string' },
    provider: { type: 'string' },
    description: { type: 'string' },
    pricing: {
      type: 'object',
      description: 'USD as decimal strings. A "request" of "-1" is a price that depends on the length of the answer.',
    },
    options: { type: 'array', items: { type: 'string' }, description: 'The supported keys of "search".' },
  },
  required: ['id', 'category', 'name', 'provider', 'description', 'pricing', 'options'],
};

const LIST_MODELS: Tool = {
  name: 'list_models',
  title: 'List models',
  description: 'Lists the models that the tools can call, with prices and search options. Costs nothing.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: {
    type: 'object',
    properties: { models: { type: 'array', items: MODEL_SCHEMA } },
    required: ['models'],
  },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

/** @param categories of the models that the tools call. */
function createListModels(categories: readonly CallCategory[]): ToolCall {
  return async (_args, source, signal) => {
    const { value, problem } = await source.models(categories, signal);
    if (problem !== null) return toolError(problem);
    const models = value.map(({ id, category, name, provider, description, pricing, options = [] }) => {
      return { id, category, name, provider, description, pricing, options };
    });
    return toolResult(value.map(modelLine).join('\n'), { models });
  };
}

function modelLine({ id, category, description, pricing: { request }, options = [] }: ModelBody): string {
  const unit = category === 'answer' ? 'question' : 'call';
  const price =
    request === undefined || request === '-1' ? `its price depends on the ${unit}` : `USD ${request} a ${unit}`;
  const search = options.length === 0 ? 'no search options' : `search options ${options.join(', ')}`;
  return `${id}: ${description} (${price}; ${search})`;
}

/** The models of the tools, each a model, alias or group. */
export interface ToolModels {
  /** Of `search_answer` if the call names none; `undefined` makes `model` required. */
  readonly defaultModel?: string | undefined;
  /** Of `search`; `undefined` for no such tool. */
  readonly search?: string | undefined;
  /** Of `fetch`; `undefined` for no such tool. */
  readonly fetch?: string | undefined;
}

export interface Tools {
  /** The tools as listed to clients. */
  readonly list: readonly Tool[];
  readonly calls: ReadonlyMap<string, ToolCall>;
  /** What a model should know of all tools. */
  readonly instructions: string;
}

export function createTools({ defaultModel, search, fetch }: ToolModels): Tools {
  const tools: { tool: Tool; call: ToolCall }[] = [
    { tool: searchAnswerTool(defaultModel), call: createSearchAnswer(defaultModel) },
  ];
  const categories: CallCategory[] = ['answer'];
  if (search !== undefined) {
    tools.push({ tool: searchTool(search), call: createSearch(search) });
    categories.push('search');
  }
  if (fetch !== undefined) {
    tools.push({ tool: FETCH, call: createFetch(fetch) });
    categories.push('extract');
  }
  tools.push({ tool: LIST_MODELS, call: createListModels(categories) });
  return {
    list: tools.map(({ tool }) => tool),
    calls: new Map(tools.map(({ tool, call }) => [tool.name, call])),
    instructions: INSTRUCTIONS,
  };
}

const INSTRUCTIONS =
  'search_answer searches the web and answers one question with numbered sources. Every call costs money, but list_models is free and shows prices.';

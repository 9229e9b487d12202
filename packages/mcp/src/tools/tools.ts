import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Answer, JsonObject, ModelBody } from '@searchgate/core/extensions';
import type { AnswerSource, Problem } from '../answer-source.js';
import { SEARCH_SCHEMA } from './search-schema.js';

/** The key of the error in `_meta`. Structured content must fit the tool's output schema, which describes successes only. */
export const ERROR_META = 'searchgate/error';

/** The result of a failed tool call: reason and advice as text for the model, and as data for the client. */
function toolError({ reason, message, advice, retryAfterSeconds, error }: Problem): CallToolResult {
  const data = { ...(error ?? { reason, message }), advice, retry_after: retryAfterSeconds };
  return {
    content: [{ type: 'text', text: `${reason}: ${message} ${advice}` }],
    isError: true,
    _meta: { [ERROR_META]: data },
  };
}

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
    // Only the balance changes, and the answer rests on pages of the open web.
    annotations: { readOnlyHint: true, openWorldHint: true },
  };
}

function modelDescription(defaultModel: string | undefined): string {
  const names = 'The model to ask, by its id in list_models, such as "exa/answer".';
  return defaultModel === undefined ? names : `${names} Default: "${defaultModel}".`;
}

function createSearchAnswer(defaultModel: string | undefined): ToolCall {
  // Unknown arguments go to the gateway too, which refuses those that would mislead an agent, such as `max_results`.
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

const MODEL_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'The value of "model" for search_answer.' },
    name: { type: 'string' },
    provider: { type: 'string' },
    description: { type: 'string' },
    pricing: {
      type: 'object',
      description: 'USD as decimal strings. A "request" of "-1" is a price that depends on the length of the answer.',
    },
    options: { type: 'array', items: { type: 'string' }, description: 'The supported keys of "search".' },
  },
  required: ['id', 'name', 'provider', 'description', 'pricing', 'options'],
};

const LIST_MODELS: Tool = {
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

const listModels: ToolCall = async (_args, source, signal) => {
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

export interface Tools {
  /** The tools as listed to clients. */
  readonly list: readonly Tool[];
  readonly calls: ReadonlyMap<string, ToolCall>;
}

/** @param defaultModel the model of `search_answer` if the call names none; `undefined` makes `model` required. */
export function createTools(defaultModel: string | undefined): Tools {
  const answering = searchAnswerTool(defaultModel);
  return {
    list: [answering, LIST_MODELS],
    calls: new Map([
      [answering.name, createSearchAnswer(defaultModel)],
      [LIST_MODELS.name, listModels],
    ]),
  };
}

/** Runs a tool. @param args of the client, unchecked. @param signal aborts the call. */
type ToolCall = (args: JsonObject, source: AnswerSource, signal: AbortSignal) => Promise<CallToolResult>;

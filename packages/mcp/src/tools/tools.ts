import type { Answer, ModelBody } from '@searchgate/core/extensions';
import type { CallCategory } from '../gateway-source.js';
import { fetchTool, searchTool } from './page-tools.js';
import { SEARCH_SCHEMA } from './search-schema.js';
import { COST, OF_THE_WEB, objectOf, type ServedTool, TEXT, type Tool, toolError, toolResult } from './tool.js';
import { createMark, type Mark, UNTRUSTED, webUrl } from './untrusted-content.js';

const CITATION_SCHEMA = objectOf({
  url: TEXT,
  text: { type: 'string', description: 'The title, and text of the page where the provider gives some.' },
});

const OUTPUT = {
  id: TEXT,
  answer: { type: 'string', description: 'With citation markers: [1] refers to the first citation.' },
  citations: { type: 'array', items: CITATION_SCHEMA },
  model: { type: 'string', description: 'The model that answered.' },
  provider: TEXT,
  cost: COST,
};
const TRUNCATED = { type: 'boolean', description: 'Whether max_output_tokens has ended the answer. Else left out.' };
const COUNT = { type: 'integer' };
const GROUNDING = {
  ...objectOf({ sentences: COUNT, supported: COUNT, unsupported: COUNT, removed: COUNT }),
  description:
    'Where citations were checked: how many of the sentences cite a source that has their words, how many cite only others, and how many markers were removed.',
};
const OPTIONAL = { truncated: TRUNCATED, grounding: GROUNDING };
const OUTPUT_SCHEMA = objectOf({ ...OUTPUT, ...OPTIONAL }, Object.keys(OUTPUT));

const NOT_EVERY_MODEL = 'Not every model honors it: leave it out unless you are asked for it.';

function searchAnswerTool(defaultModel: string | undefined): ServedTool {
  const inputs = {
    query: { type: 'string', minLength: 1, description: 'The question, complete in itself.' },
    model: { type: 'string', description: modelDescription(defaultModel) },
    search: SEARCH_SCHEMA,
    instructions: { type: 'string', description: `How to answer. ${NOT_EVERY_MODEL}` },
    max_output_tokens: { type: 'integer', minimum: 1, description: `Ends the answer early. ${NOT_EVERY_MODEL}` },
  };
  const tool = {
    name: 'search_answer',
    title: 'Answer from the web',
    description: `Searches the web and answers a question in words, with numbered sources. Ask one complete question. ${UNTRUSTED}`,
    inputSchema: objectOf(inputs, defaultModel === undefined ? ['query', 'model'] : ['query']),
    outputSchema: OUTPUT_SCHEMA,
    annotations: OF_THE_WEB,
  };
  return {
    tool,
    // Unknown arguments go to the gateway too, which refuses them: they would mislead an agent.
    async call({ stream: _stream, include_citations: _citations, ...args }, source, signal) {
      const fields = { ...args, model: args['model'] ?? defaultModel };
      const { value, problem } = await source.call('answer', fields, signal);
      if (problem !== null) return toolError(problem);
      const { id, answer, citations = [], model, provider, usage, grounding } = value;
      const mark = createMark();
      return toolResult(answerText(value, mark), {
        id,
        answer: mark([answer]),
        citations: citations.map(({ title, url, snippet }) => ({
          url: webUrl(url),
          text: mark([title, snippet], url),
        })),
        model,
        provider,
        cost: usage.cost,
        ...(value.truncated && { truncated: true }),
        ...(grounding && { grounding }),
      });
    },
  };
}

function modelDescription(defaultModel: string | undefined): string {
  const names = 'The model to ask, by its id in list_models, such as "exa/answer".';
  return defaultModel === undefined ? names : `${names} Default: "${defaultModel}".`;
}

/** For clients without structured content. */
function answerText({ answer, citations = [], truncated }: Answer, mark: Mark): string {
  const sources = citations.map(({ title, url }, index) => `[${index + 1}] ${title}: ${webUrl(url)}`);
  const text = mark(sources.length === 0 ? [answer] : [answer, `Sources:\n${sources.join('\n')}`]);
  return truncated ? `${text}\n\nThe answer is not whole: max_output_tokens has ended it.`.trim() : text;
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
  /** Of `search_answer` when the agent names none. @default none: the agent has to name a model */
  readonly defaultModel?: string | undefined;
  /** Of the tool `search` when the agent names none. @default none: there is no such tool */
  readonly search?: string | undefined;
  /** Of the tool `fetch`, which reads a page, when the agent names none. @default none: there is no such tool */
  readonly fetch?: string | undefined;
}

/** The tools by name, in the order of their list. */
export type Tools = ReadonlyMap<string, ServedTool>;

export function createTools({ defaultModel, search, fetch }: ToolModels): Tools {
  const byCategory: Partial<Record<CallCategory, ServedTool>> = {
    answer: searchAnswerTool(defaultModel),
    ...(search !== undefined && { search: searchTool(search) }),
    ...(fetch !== undefined && { extract: fetchTool(fetch) }),
  };
  const tools = [...Object.values(byCategory), listModelsTool(Object.keys(byCategory) as CallCategory[])];
  return new Map(tools.map((served) => [served.tool.name, served]));
}

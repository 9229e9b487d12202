import { SEARCH_SCHEMA } from './search-schema.js';
import { COST, OF_THE_WEB, objectOf, type ServedTool, TEXT, toolError, toolResult } from './tool.js';
import { createMark, hostOf, UNTRUSTED, webUrl } from './untrusted-content.js';

// Names, arguments and results are those that ChatGPT expects of a server (https://platform.openai.com/docs/mcp, parts of copies read 2026-11-27).

const HOST = { type: 'string', description: 'The host of the page. Its title is in the text.' };

/** @param model the model to search with if the call names none. */
export function searchTool(model: string): ServedTool {
  const inputs = {
    query: { type: 'string', minLength: 1, description: 'What the pages should be about.' },
    max_results: { type: 'integer', minimum: 1, maximum: 100, description: 'The most pages. Default: 10.' },
    model: { type: 'string', description: `A model of the category search. Default: "${model}".` },
    search: SEARCH_SCHEMA,
  };
  const result = objectOf({ id: { type: 'string', description: 'For fetch.' }, title: HOST, url: TEXT, text: TEXT });
  const tool = {
    name: 'search',
    title: 'Search the web',
    description: `Finds pages of the web, each with an id for fetch. ${UNTRUSTED}`,
    inputSchema: objectOf(inputs, ['query']),
    outputSchema: objectOf({ results: { type: 'array', items: result }, model: TEXT, provider: TEXT, cost: COST }),
    annotations: OF_THE_WEB,
  };
  return {
    tool,
    async call(args, source, signal) {
      const { value, problem } = await source.call('search', { ...args, model: args['model'] ?? model }, signal);
      if (problem !== null) return toolError(problem);
      const mark = createMark();
      const results = value.results.map(({ title, url: found, snippet }) => {
        const url = webUrl(found);
        return { id: url, title: hostOf(url), url, text: mark([title, snippet], url) };
      });
      const { model: searchedBy, provider, usage } = value;
      return toolResult(JSON.stringify({ results }), { results, model: searchedBy, provider, cost: usage.cost });
    },
  };
}

/** @param model the model to read pages with if the call names none. */
export function fetchTool(model: string): ServedTool {
  const id = { type: 'string', description: 'The id of a result of search, or another http(s) address.' };
  const date = { anyOf: [TEXT, { type: 'null' }], description: 'The day of publication.' };
  const truncated = { type: 'boolean', description: 'Whether the page is longer.' };
  const metadata = objectOf({ date, truncated, model: TEXT, provider: TEXT, cost: COST });
  const tool = {
    name: 'fetch',
    title: 'Read a page',
    description: `Reads a page of the web. ${UNTRUSTED}`,
    inputSchema: objectOf({ id }),
    outputSchema: objectOf({ id: TEXT, title: HOST, text: TEXT, url: TEXT, metadata }),
    annotations: OF_THE_WEB,
  };
  return {
    tool,
    async call({ id: address, ...args }, source, signal) {
      const fields = { ...args, urls: [address], model: args['model'] ?? model };
      const { value, problem } = await source.call('extract', fields, signal);
      if (problem !== null) return toolError(problem);
      const { results, model: readBy, provider, usage } = value;
      // A call of one page has one result, or fails.
      const { title, content, date: day, truncated: isCut, ...found } = results[0] as (typeof results)[number];
      const url = webUrl(found.resolved_url ?? found.url);
      const about = { date: day, truncated: isCut, model: readBy, provider, cost: usage.cost };
      const text = createMark()([title, content], url);
      const page = { id: address, title: hostOf(url), text, url, metadata: about };
      return toolResult(JSON.stringify(page), page);
    },
  };
}

export { chatCompletions } from './chat-completions/chat-completions.js';
export { type ExaModels, exa } from './exa/exa.js';
export { type FirecrawlModels, firecrawl } from './firecrawl/firecrawl.js';
export { responses } from './responses/responses.js';
export { type SearxngOptions, searxng } from './searxng/searxng.js';
export { type TavilyModels, tavily } from './tavily/tavily.js';

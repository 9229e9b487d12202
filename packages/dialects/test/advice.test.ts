import { expect, it } from 'vitest';
import { chatCompletions, exa, firecrawl, responses, searxng, tavily } from '../src/index.js';
import { formAsker } from './form-asker.js';

const MODELS = { search: 'house/search', extract: 'house/extract', answer: 'house/answer' };
const endpoints = {
  chatCompletions: chatCompletions(),
  responses: responses(),
  tavily: tavily(MODELS),
  exa: exa(MODELS),
  firecrawl: firecrawl(MODELS),
  searxng: searxng(MODELS),
};
const ask = formAsker(endpoints);
const NAMES =
  `model query messages response_format instructions system max_output_tokens max_tokens include_citations search routing tag max_results
  include_content urls format max_characters domains include_domains country search_language date_range idempotency_key quary mesages instruction`.split(
    /\s+/,
  );

it.each(Object.values(endpoints).flat())('$path advises only what it takes', async ({ path, fields, isQuery }) => {
  for (const name of NAMES) {
    const request = isQuery ? { method: 'GET', path: `${path}?${name}=x` } : { path, body: { [name]: 'x' } };
    const { body } = await ask(request);
    const text = JSON.stringify(body);
    if (!text.includes('is not supported by this endpoint')) continue;
    const [, named, advised] = /In place of (\S+), use ([^"]+?)\./.exec(text) ?? [];
    if (advised?.startsWith('the header ')) continue;
    const isTaken = advised === undefined || fields.read.includes(advised.replace(/\..*$/, ''));
    expect([text, isTaken, named ?? name]).toEqual([expect.not.stringContaining(`use ${name}.`), true, name]);
  }
});

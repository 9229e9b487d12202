/// <reference types="node" />
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { pathOf } from '../../../src/api/path-of.js';
import { curlCode } from './request-code.js';

const REQUEST = {
  model: 'exa/answer',
  query: `it's "$HOME" \`id\` \\ 
 and 'more'`,
  search: { includeDomains: ['example.org'] },
};
const ANSWER_URL = 'https://api.example.com/search/api/v1/answer';

describe('the request as code', () => {
  it('survives shell quoting, and uses the names of the wire', () => {
    // A shell function replaces curl and prints its arguments.
    const script = `curl() { printf '%s\\0' "$@"; }; SEARCHGATE_API_KEY=the-key\n${curlCode({ category: 'answer', request: REQUEST }, ANSWER_URL)}`;
    const [, url, , authorization, , type, , body] = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split(
      '\0',
    );
    expect([url, authorization, type]).toEqual([
      ANSWER_URL,
      'Authorization: Bearer the-key',
      'Content-Type: application/json',
    ]);
    expect(JSON.parse(body)).toEqual({
      model: REQUEST.model,
      query: REQUEST.query,
      search: { include_domains: ['example.org'] },
      stream: true,
    });
  });

  it.each([
    [
      { category: 'search', request: { model: 'exa/auto', query: 'a', maxResults: 3, includeContent: true } },
      '{"model":"exa/auto","query":"a","max_results":3,"include_content":true}',
    ],
    [
      { category: 'extract', request: { model: 'exa/contents', urls: ['https://example.org/'] } },
      '{"model":"exa/contents","urls":["https://example.org/"]}',
    ],
    [
      { category: 'rerank', request: { model: 'cohere/rerank', query: 'a', documents: ['b', 'c'] } },
      '{"model":"cohere/rerank","query":"a","documents":["b","c"]}',
    ],
    [
      { category: 'embedding', request: { model: 'openai/embed', input: ['a'] } },
      '{"model":"openai/embed","input":["a"]}',
    ],
  ] as const)('has the path and the fields of %j', (call, body) => {
    const code = curlCode(call, ANSWER_URL);
    expect(code).toContain(`curl https://api.example.com/search/api/v1/${pathOf(call.category)} \\\n`);
    expect(code).toContain(`-d '${body}'`);
  });
});

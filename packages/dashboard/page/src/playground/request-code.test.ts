import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
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
    const script = `curl() { printf '%s\\0' "$@"; }; SEARCHGATE_API_KEY=the-key\n${curlCode(REQUEST, ANSWER_URL)}`;
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
});

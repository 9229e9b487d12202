import { API_KEY } from './servers/settings.js';
import { QUERY } from './upstream/exa-reply.js';

export interface HttpRequest {
  readonly method: 'POST';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };

export function answerRequest(options: object = {}): HttpRequest {
  const body = JSON.stringify({ model: 'exa/answer', query: QUERY, include_citations: true, ...options });
  return {
    method: 'POST',
    path: '/api/v1/answer',
    headers: { ...JSON_TYPE, authorization: `Bearer ${API_KEY}` },
    body,
  };
}

export function upstreamRequest(stream = false): HttpRequest {
  const body = JSON.stringify({ query: QUERY, text: false, stream });
  return { method: 'POST', path: '/answer', headers: { ...JSON_TYPE, 'x-api-key': 'exa-key' }, body };
}

/** To the peer, which forwards the question as a chat completion. */
export function chatRequest(upstreamPort: number, options: object = {}): HttpRequest {
  const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: QUERY }], ...options });
  const route = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1` };
  const headers = { ...JSON_TYPE, authorization: 'Bearer chat-key', ...route };
  return { method: 'POST', path: '/v1/chat/completions', headers, body };
}

import { requestText } from './load/http-request.js';
import { apiKeyOf } from './servers/api-keys.js';
import { QUERY } from './upstream/replies.js';

/** Which forwarder a server is measured against: the one in the same host. */
type Baseline = 'node' | 'express' | 'koa';

export interface Target {
  readonly id: TargetId;
  readonly name: string;
  readonly kind: 'forwarder' | 'gateway' | 'peer';
  readonly baseline: Baseline;
}

export type TargetId = Baseline | 'core' | 'express-gateway' | 'koa-gateway' | 'portkey';

/** In the order they take turns. */
export const TARGETS: readonly Target[] = [
  { id: 'node', name: 'node:http forwarder', kind: 'forwarder', baseline: 'node' },
  { id: 'core', name: 'Searchgate core in node:http', kind: 'gateway', baseline: 'node' },
  { id: 'express', name: 'Express forwarder', kind: 'forwarder', baseline: 'express' },
  { id: 'express-gateway', name: 'Searchgate in Express', kind: 'gateway', baseline: 'express' },
  { id: 'koa', name: 'Koa forwarder', kind: 'forwarder', baseline: 'koa' },
  { id: 'koa-gateway', name: 'Searchgate in Koa', kind: 'gateway', baseline: 'koa' },
  { id: 'portkey', name: 'Portkey gateway', kind: 'peer', baseline: 'node' },
];

/** The script of a server of ours; the peer's comes from its own package. */
export function scriptOf(id: Exclude<TargetId, 'portkey'>): string {
  return `servers/${SCRIPTS[id]}.js`;
}

const SCRIPTS = {
  node: 'node-forwarder',
  core: 'node-gateway',
  express: 'express-forwarder',
  'express-gateway': 'express-gateway',
  koa: 'koa-forwarder',
  'koa-gateway': 'koa-gateway',
} as const;

/** The question as a caller puts it, with key number `keyNumber`. */
export function answerRequest(keyNumber = 0): string {
  return requestText({
    method: 'POST',
    path: '/api/v1/answer',
    headers: { Authorization: `Bearer ${apiKeyOf(keyNumber)}` },
    body: { model: 'exa/answer', query: QUERY, include_citations: true },
  });
}

/** The same question to a peer that speaks chat completions, sent on to the same upstream. */
export function chatCompletionRequest(upstreamPort: number): string {
  return requestText({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {
      Authorization: 'Bearer openai-key',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
    },
    body: { model: 'gpt-4o', messages: [{ role: 'user', content: QUERY }] },
  });
}

/** The provider itself, without a gateway before it. */
export function upstreamRequest(): string {
  return requestText({
    method: 'POST',
    path: '/answer',
    headers: { 'x-api-key': 'exa-key' },
    body: { query: QUERY, text: false, stream: false },
  });
}

export function modelsRequest(etag?: string): string {
  return requestText({
    method: 'GET',
    path: '/api/v1/models',
    headers: { Authorization: `Bearer ${apiKeyOf(0)}`, ...(etag === undefined ? {} : { 'If-None-Match': etag }) },
  });
}

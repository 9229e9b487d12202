import { AssertionError } from 'node:assert';
import { openApiDocument } from '@searchgate/core/openapi';
import type { WireResponse } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { describedApi } from './described-api.js';

const api = describedApi(openApiDocument());
const request = { method: 'POST', target: '/api/v1/answer', headers: {}, body: null };
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-request-id': 'req_1',
  'x-content-type-options': 'nosniff',
  'server-timing': 'gateway;dur=1.0, upstream;dur=2.0',
};
const answer = { id: 'ans_1', model: 'exa/answer', provider: 'exa', answer: 'Yes.', usage: { cost: 0.005 } };

function respond(change: Partial<WireResponse> = {}, body: unknown = answer): () => readonly string[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return () => api.checkResponse(request, { status: 200, headers, body: Buffer.from(text), ...change });
}

const streamed = { headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' } };
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

describe('describedApi', () => {
  it('accepts described responses, whole and as events', () => {
    expect(respond()()).toEqual([]);
    expect(respond(streamed, `: keep-alive\n\n${event('delta', { text: 'Yes' })}${event('done', answer)}`)()).toEqual(
      [],
    );
  });

  it.each<[what: string, change: Partial<WireResponse>, body?: unknown]>([
    ['a field that is not described', {}, { ...answer, score: 1 }],
    ['a field that is missing', {}, { ...answer, usage: undefined }],
    ['a field of another type', {}, { ...answer, usage: { cost: '0.005' } }],
    ['a status', { status: 418 }],
    ['an error where an answer is described', {}, { error: { reason: 'internal_error' } }],
    ['a header', { headers: { ...headers, 'x-powered-by': 'us' } }],
    ['a missing header', { headers: { ...headers, 'server-timing': undefined } }],
    ['a type of content', { headers: { ...headers, 'content-type': 'text/html' } }],
    ['an event', streamed, event('progress', { text: 'Yes' })],
    ['a field of an event', streamed, event('delta', { text: 'Yes', index: 0 })],
  ])('refuses %s', (_what, change, body) => {
    expect(respond(change, body)).toThrow(AssertionError);
  });

  it('refuses an undescribed method, unless the gateway refuses it', () => {
    const get = { ...request, method: 'GET' };
    expect(() => api.checkResponse(get, { status: 200, headers, body: Buffer.from('{}') })).toThrow('not described');
  });
});

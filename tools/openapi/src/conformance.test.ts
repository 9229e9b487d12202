import assert from 'node:assert/strict';
import { REASONS } from '@searchgate/core';
import { handleNode } from '@searchgate/core/node';
import { openApiDocument } from '@searchgate/core/openapi';
import { chatCompletions, responses } from '@searchgate/dialects';
import { httpConformance, nodeHost, type WireRequest } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { describedApi } from './described-api.js';

const endpoints = { chatCompletions: chatCompletions(), responses: responses(), usage: true, asyncAnswers: true };
const api = describedApi(openApiDocument({ endpoints }));
/** With a default model of each path. */
const apiWithDefaults = describedApi(
  openApiDocument({
    endpoints: {
      ...endpoints,
      search: { defaultModel: 'stub/find' },
      extract: { defaultModel: 'stub/read' },
      rerank: { defaultModel: 'stub/sort' },
      embeddings: { defaultModel: 'stub/embed' },
    },
  }),
);

/** Reasons that concern the request itself. */
const WRONG_REQUESTS = [
  'invalid_field',
  'unsupported_field',
  'invalid_parameter',
  'invalid_idempotency_key',
  'malformed_json',
];
/** Reasons before the whole request is read: it may be valid or not. */
const READ_LATER = [
  'method_not_allowed',
  'unsupported_media_type',
  'request_too_large',
  'request_timeout',
  ...Object.entries(REASONS).flatMap(([reason, { type }]) => (type === 'authentication_error' ? [reason] : [])),
  'auth_rate_limited',
  'organization_suspended',
  'shutting_down',
  'overloaded',
  'ledger_unavailable',
  'hook_failed',
  'internal_error',
];

const seen = new Set<string>();

function checkRequest(request: WireRequest, reason: string | undefined): void {
  if (reason !== undefined && READ_LATER.includes(reason)) return;
  const isDefault = reason === undefined && WITHOUT_MODEL.test(textOf(request));
  const faults = (isDefault ? apiWithDefaults : api).faultsOf(request);
  if (reason === undefined || !WRONG_REQUESTS.includes(reason)) assert.deepEqual(faults, [], 'a right request');
  else if (!isBeyondSchemas(request)) assert.notDeepEqual(faults, [], `the document finds nothing wrong (${reason})`);
}

/**
 * Requests that OpenAPI cannot describe: the length of a query without surrounding space, the nesting and the values of a body, invalid UTF-8, typos,
 * names in another case, unknown parameters, filters of another service, addresses that are not public, fields that need another one, and a stream for a
 * caller who does not wait.
 */
function isBeyondSchemas(request: WireRequest): boolean {
  const { target, headers } = request;
  // The document describes these paths more loosely than the gateway checks them.
  if (target === '/api/v1/chat/completions' || target === '/api/v1/responses') return true;
  const named = [...new URLSearchParams(target.split('?')[1]).keys()];
  if (named.some((name) => !PARAMETERS[target.split('?')[0] ?? '']?.includes(name))) return true;
  const text = textOf(request);
  return (
    headers['prefer'] !== undefined ||
    SLIP.test(text) ||
    MEANING.test(text) ||
    text.includes('x'.repeat(8_001)) ||
    text.includes('['.repeat(32)) ||
    text.includes('[],'.repeat(15_000)) ||
    text.includes('\ufffd')
  );
}

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/models': ['category'],
  '/api/v1/usage': ['by', 'from', 'to'],
};
/** Misspelt, in another case, or with hyphens. */
const SLIP = /"(?:serach|steam|include_domain|[\w-]*[A-Z-][\w-]*)":/;

/** Filters of another service, a second address that is not public, and the length of a text that is not wanted. */
const MEANING = /"(?:search_recency_filter|search_domain_filter)":|"urls":\["[^"]*","|"max_content_characters":\d+\}/;
const WITHOUT_MODEL = /^\{(?!"model")/;

function textOf({ body }: WireRequest): string {
  return Buffer.concat(body?.chunks ?? []).toString();
}

httpConformance({
  describe,
  it,
  host: 'plain node:http, as the document describes it',
  capabilities: { bodyParserInFront: false, sockets: true },
  start: (gateway) =>
    nodeHost(async (req, res) => {
      if (!(await handleNode(gateway, { req, res }))) res.writeHead(404).end();
    }),
  onExchange(sent, response) {
    const request = { ...sent, target: sent.target.replace(/\/(?=\?|$)/, '') };
    // A response of the host.
    if (response.headers['x-request-id'] === undefined) return;
    const reasons = api.checkResponse(request, response);
    for (const reason of reasons) seen.add(reason);
    if (request.method !== 'HEAD') checkRequest(request, reasons[0]);
  },
});

describe('the conformance suite', () => {
  it('covers every reason except those of extensions and those that no request is refused for', () => {
    expect(Object.keys(REASONS).filter((reason) => !seen.has(reason))).toEqual([
      'origin_not_allowed',
      'key_not_allowed_in_path',
      'answer_lost',
      'answer_too_large',
      'too_many_refused_calls',
      'client_closed_request',
    ]);
  });
});

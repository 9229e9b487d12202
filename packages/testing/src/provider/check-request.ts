import assert from 'node:assert/strict';
import type { RecordedRequest } from '../fault-upstream.js';
import { QUERY } from './scene.js';

/** Occurs in {@link QUERY} only. */
const QUERY_WORD = 'Zephyr';

export interface RequestExpectation {
  /** The path of the provider's base URL. */
  readonly prefix: string;
  readonly secret: string;
  /** The URL parameter with the key; `undefined` if a header carries the key. */
  readonly keyParameter: string | undefined;
}

/** Fails unless the key is in its place and the question in the body (of a GET: in a parameter), and neither is anywhere else. */
export function checkRequest(request: RecordedRequest, { prefix, secret, keyParameter }: RequestExpectation): void {
  const { method, url, headers, body } = request;
  const [path = ''] = url.split('?');
  const parameters = new URL(url, 'http://localhost').searchParams;
  assert.ok(path.startsWith(`${prefix}/`), 'the path of the base URL is kept');
  assert.ok(!path.includes(QUERY_WORD), 'nothing of the question is in the path');
  const sent = JSON.stringify(headers);
  if (keyParameter === undefined) {
    assert.ok(sent.includes(secret), 'the key is in a header');
    assert.ok(!`${url}${body}`.includes(secret), 'the key is in a header only');
  } else {
    assert.deepEqual(parameters.getAll(keyParameter), [secret], `the key is the parameter ${keyParameter}`);
    parameters.delete(keyParameter);
    const elsewhere = [path, ...parameters.values(), sent, body];
    assert.ok(!elsewhere.some((part) => part.includes(secret)), 'the key is in its parameter only');
  }
  assert.ok(!sent.includes(QUERY_WORD), 'nothing of the question is in a header');
  if (method === 'GET') {
    assert.ok([...parameters.values()].includes(QUERY), 'the question is a parameter, as it was asked');
    return;
  }
  assert.match(headers['content-type'] ?? '', /^application\/json\b/, 'the body is JSON');
  assert.ok(!url.includes(QUERY_WORD), 'nothing of the question is in the URL');
  assert.ok(holds(JSON.parse(body), QUERY), 'the question is in the body, as it was asked');
}

/** Whether a JSON value contains exactly this text as a value. */
export function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text;
  return typeof value === 'object' && value !== null && Object.values(value).some((entry) => holds(entry, text));
}

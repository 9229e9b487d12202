import assert from 'node:assert/strict';
import type { RecordedRequest } from '../fault-upstream.js';

/** Occurs in the query and the addresses of the suite only. */
const ASKED_WORD = 'Zephyr';

export interface RequestExpectation {
  /** The path of the provider's base URL. */
  readonly prefix: string;
  readonly secret: string;
  /** The URL parameter with the key; `undefined` if a header carries the key, `null` if there is no key. */
  readonly keyParameter: string | null | undefined;
  /** The query, or the addresses of the pages. */
  readonly asked: readonly string[];
}

/** Fails unless the key is in its place and the query or the addresses in the body (of a GET: in parameters), and neither is anywhere else. */
export function checkRequest(request: RecordedRequest, expected: RequestExpectation): void {
  const { prefix, secret, keyParameter, asked } = expected;
  const { method, url, headers, body } = request;
  const [path = ''] = url.split('?');
  const parameters = new URL(url, 'http://localhost').searchParams;
  assert.ok(path.startsWith(`${prefix}/`), 'the path of the base URL is kept');
  assert.ok(!path.includes(ASKED_WORD), 'nothing of what is asked is in the path');
  const sentHeaders = JSON.stringify(headers);
  if (keyParameter === undefined) {
    assert.ok(sentHeaders.includes(secret), 'the key is in a header');
    assert.ok(!`${url}${body}`.includes(secret), 'the key is in a header only');
  } else if (keyParameter !== null) {
    assert.deepEqual(parameters.getAll(keyParameter), [secret], `the key is the parameter ${keyParameter}`);
    parameters.delete(keyParameter);
    const elsewhere = [path, ...parameters.values(), sentHeaders, body];
    assert.ok(!elsewhere.some((part) => part.includes(secret)), 'the key is in its parameter only');
  }
  assert.ok(!sentHeaders.includes(ASKED_WORD), 'nothing of what is asked is in a header');
  if (method === 'GET') {
    const values = [...parameters.values()];
    assert.ok(
      asked.every((text) => values.includes(text)),
      'what is asked is a parameter, without change',
    );
    return;
  }
  assert.match(headers['content-type'] ?? '', /^application\/json\b/, 'the body is JSON');
  assert.ok(!url.includes(ASKED_WORD), 'nothing of what is asked is in the URL');
  const sent = JSON.parse(body) as unknown;
  assert.ok(
    asked.every((text) => holds(sent, text)),
    'what is asked is in the body, without change',
  );
}

/** Whether a JSON value contains exactly this text as a value. */
export function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value === text;
  return typeof value === 'object' && value !== null && Object.values(value).some((entry) => holds(entry, text));
}

import { gzipSync } from 'node:zlib';
import { BODY_TIMEOUT_MS } from '../conformance-gateway.js';
import {
  ANSWERED,
  ask,
  askRaw,
  badRequest,
  type Expectation,
  type HttpCase,
  invalid,
  refused,
  row,
} from '../http-case.js';
import type { WireBody } from '../wire.js';
import { leaveOut } from './field-cases.js';

const MAX_BODY_BYTES = 64 * 1_024;
const QUESTION = '{"model":"stub/flat","query":"When did it open?"}';

const UNSUPPORTED = refused(415, invalid('unsupported_media_type'), { headers: { accept: 'application/json' } });
const MALFORMED = badRequest('malformed_json');
const TOO_LARGE = refused(413, invalid('request_too_large', { metadata: { max_body_bytes: MAX_BODY_BYTES } }), {
  headers: { connection: 'close' },
});

const NO_PROTOTYPE = badRequest('unsupported_field', { param: '__proto__', note: leaveOut('__proto__') });

const HOST_REFUSES: Expectation = { status: 400, by: 'host' };
const PARSER_CHECKS_SYNTAX = {
  why: 'the host’s parser refuses what is not an object or array in JSON, in the host’s own words',
  expect: HOST_REFUSES,
};

const chunked = (...chunks: Uint8Array[]): WireBody => ({ chunks, framing: 'chunked', stalls: false });
const stalled = (text: string): WireBody => ({ chunks: [Buffer.from(text)], framing: 'length', stalls: true });

/** A valid question, padded to a length by an unused field. */
const padded = (byteLength: number) =>
  `{"x_pad":"${'x'.repeat(byteLength - QUESTION.length - 11)}",${QUESTION.slice(1)}`;
const nested = (levels: number) => `{"x_pad":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},${QUESTION.slice(1)}`;

function contentType(value: string, expect: Expectation): HttpCase {
  return {
    name: `${expect.status === 200 ? 'takes' : 'refuses'} a body of type ${value}`,
    request: askRaw(QUESTION, { 'content-type': value }),
    expect,
  };
}

const MEDIA_TYPES: readonly HttpCase[] = [
  contentType('application/json; charset=utf-8', ANSWERED),
  contentType('application/vnd.api+json', ANSWERED),
  contentType('text/plain', UNSUPPORTED),
  contentType('application/x-www-form-urlencoded', UNSUPPORTED),
  {
    ...contentType('application/json; charset=iso-8859-1', UNSUPPORTED),
    behindParser: { why: 'some parsers refuse other charsets themselves', expect: { ...UNSUPPORTED, by: 'either' } },
  },
  row('refuses a body without a type', { method: 'POST', target: '/api/v1/answer', body: QUESTION }, UNSUPPORTED),
  {
    name: 'refuses a compressed body, even a right one',
    request: askRaw(gzipSync(QUESTION), { 'content-encoding': 'gzip' }),
    expect: UNSUPPORTED,
  },
];

const SIZES: readonly HttpCase[] = [
  { name: 'takes a body of exactly the largest size', request: askRaw(padded(MAX_BODY_BYTES)), expect: ANSWERED },
  { name: 'refuses a body by its announced length', request: askRaw(padded(MAX_BODY_BYTES + 1)), expect: TOO_LARGE },
  {
    name: 'refuses a body by its announced length before it asks for a key',
    request: { ...askRaw(padded(MAX_BODY_BYTES + 1)), key: null },
    expect: TOO_LARGE,
  },
  {
    name: 'refuses a body that turns out too large while it is read',
    request: askRaw(chunked(...Array.from({ length: 80 }, () => Buffer.alloc(1_024, ' ')), Buffer.from(QUESTION))),
    expect: TOO_LARGE,
    needsSockets: true,
    behindParser: { why: 'the host’s parser has read it within the host’s own limit', expect: ANSWERED },
  },
  {
    name: 'refuses a body that stalls',
    request: askRaw(stalled('{"model":')),
    during: async ({ awaitingBody, clock }) => {
      await awaitingBody;
      await clock.advance(BODY_TIMEOUT_MS);
    },
    expect: refused(408, invalid('request_timeout'), { headers: { connection: 'close', 'retry-after': null } }),
    needsSockets: true,
    behindParser: { why: 'the host’s parser waits as long as the host lets it', expect: 'not applicable' },
  },
  {
    name: 'gives up on a caller that goes away in the middle of its body',
    request: askRaw(stalled('{"model":')),
    during: async ({ awaitingBody }, exchange) => {
      await awaitingBody;
      await exchange.disconnect();
    },
    expect: { status: 'none', event: { keyId: 'funded', cost: null } },
    needsSockets: true,
    behindParser: { why: 'the host’s parser is the one that notices', expect: 'not applicable' },
  },
];

const bytes = Buffer.from(QUESTION.replace('open', 'öffnen'));
const middleOfTheUmlaut = bytes.indexOf(0xc3) + 1;

const CONTENTS: readonly HttpCase[] = [
  {
    name: 'reads a body of unannounced length whose pieces cut a character in two',
    request: askRaw(chunked(bytes.subarray(0, middleOfTheUmlaut), bytes.subarray(middleOfTheUmlaut))),
    expect: ANSWERED,
  },
  { name: 'ignores a byte order mark', request: askRaw(`\ufeff${QUESTION}`), expect: ANSWERED },
  {
    ...row('refuses broken JSON', askRaw('{"model":"stub/flat","query":'), MALFORMED),
    behindParser: PARSER_CHECKS_SYNTAX,
  },
  { ...row('refuses a JSON string', askRaw('"stub/flat"'), MALFORMED), behindParser: PARSER_CHECKS_SYNTAX },
  { name: 'refuses a JSON array', request: askRaw(`[${QUESTION}]`), expect: MALFORMED },
  {
    ...row('refuses an empty body', askRaw(''), MALFORMED),
    behindParser: {
      why: 'some parsers leave an empty body alone, some make an empty object of it',
      expect: {
        status: 400,
        verify: ({ body }) => {
          if (!/"reason":"(?:malformed_json|invalid_field)"/.test(Buffer.from(body).toString()))
            throw new Error('neither malformed nor without fields');
        },
      },
    },
  },
  {
    ...row('refuses what is not UTF-8', askRaw(Buffer.from(QUESTION.replace('open', 'öffnen'), 'latin1')), MALFORMED),
    behindParser: { why: 'the host’s parser replaces what it cannot decode', expect: ANSWERED },
  },
  { name: 'takes 32 levels', request: askRaw(nested(32)), expect: ANSWERED },
  {
    name: 'refuses 33 levels',
    request: askRaw(nested(33)),
    expect: badRequest('malformed_json', { note: 'It is nested more than 32 levels deep.' }),
  },
  {
    name: 'refuses more than 20,000 values',
    request: askRaw(`{"x_pad":[${'[],'.repeat(15_000)}[]],${QUESTION.slice(1)}`),
    expect: badRequest('malformed_json', { note: 'It has more than 20,000 values.' }),
  },
  {
    name: 'refuses a prototype that a body tries to set',
    onlyAnswer: true,
    request: askRaw('{"__proto__":{"model":"stub/flat"},"query":"When?"}'),
    expect: NO_PROTOTYPE,
    behindParser: { why: 'some parsers refuse such a body themselves', expect: { ...NO_PROTOTYPE, by: 'either' } },
  },
  {
    name: 'leaves an unread body behind without harm',
    request: ask({}, { key: null }),
    expect: refused(401, { type: 'authentication_error', reason: 'missing_api_key' }),
  },
];

/** Checks of a body before its fields are read. */
export const BODY_CASES: readonly HttpCase[] = [...MEDIA_TYPES, ...SIZES, ...CONTENTS];

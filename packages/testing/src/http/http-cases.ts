import { ACCOUNT_CASES } from './cases/account-cases.js';
import { ANSWER_CASES } from './cases/answer-cases.js';
import { AUTHENTICATION_CASES } from './cases/authentication-cases.js';
import { BODY_CASES } from './cases/body-cases.js';
import { CACHE_CASES } from './cases/cache-cases.js';
import { CHAT_CASES } from './cases/chat-cases.js';
import { FIELD_CASES } from './cases/field-cases.js';
import { IDEMPOTENCY_CASES } from './cases/idempotency-cases.js';
import { IDEMPOTENCY_FAILURE_CASES } from './cases/idempotency-failure-cases.js';
import { LIMIT_CASES } from './cases/limit-cases.js';
import { MODEL_CASES } from './cases/model-cases.js';
import { PATH_CASES } from './cases/path-cases.js';
import { SERVICE_CASES } from './cases/service-cases.js';
import { STREAM_CASES } from './cases/stream-cases.js';
import { UPSTREAM_CASES } from './cases/upstream-cases.js';
import { USAGE_CASES } from './cases/usage-cases.js';
import { throughChat } from './chat-form.js';
import type { HttpCase } from './http-case.js';

/** What holds for a question whatever form it comes in, beside rows that have nothing to do with forms. */
const OF_ALL_FORMS: readonly HttpCase[] = [
  ...AUTHENTICATION_CASES,
  ...BODY_CASES,
  ...ANSWER_CASES,
  ...STREAM_CASES,
  ...MODEL_CASES,
  ...ACCOUNT_CASES,
  ...LIMIT_CASES,
  ...CACHE_CASES,
  ...IDEMPOTENCY_CASES,
  ...IDEMPOTENCY_FAILURE_CASES,
  ...UPSTREAM_CASES,
  ...SERVICE_CASES,
];

/**
 * Every way in which a request can arrive and a response can leave: paths, headers, bodies and how they are sent, callers that go away, streams, whole answers,
 * `HEAD` and 304. What a host can get wrong shows in these. All other rows look at what the gateway makes of the same bytes.
 */
export const TRANSPORT_CASES: readonly HttpCase[] = [
  ...PATH_CASES,
  ...AUTHENTICATION_CASES,
  ...BODY_CASES,
  ...ANSWER_CASES,
  ...STREAM_CASES,
  ...CHAT_CASES,
  ...MODEL_CASES,
  ...ACCOUNT_CASES,
  ...CACHE_CASES,
];

/** The whole HTTP contract, row by row. */
export const HTTP_CASES: readonly HttpCase[] = [
  ...PATH_CASES,
  ...FIELD_CASES,
  ...CHAT_CASES,
  ...USAGE_CASES,
  ...OF_ALL_FORMS,
  ...throughChat(OF_ALL_FORMS),
];

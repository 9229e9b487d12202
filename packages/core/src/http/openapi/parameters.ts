import type { JsonSchema } from '../../base/options/read-request-options.js';
import { CATEGORIES } from '../../catalog/model-entry.js';
import { USAGE_BY } from '../usage-query.js';

/** What is sent beside a body, by the name it has in the document. */
export const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names a question. A call that is repeated with it gets the answer of the first one and costs nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: '8f0e4c1a-order-17',
  },
  CacheControl: {
    name: 'Cache-Control',
    in: 'header',
    description:
      '`no-cache` for a new answer instead of a kept one, `no-store` for one that is not kept either. Other directives mean nothing.',
    schema: { type: 'string' },
    example: 'no-cache',
  },
  ClientRequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: "The caller's own name for the call. It is recorded, and never given back.",
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of a body that the caller has.',
    schema: { type: 'string' },
  },
  Category: {
    name: 'category',
    in: 'query',
    description: 'Only models of this kind. To be given once.',
    schema: { type: 'string', enum: CATEGORIES },
  },
  UsageBy: {
    name: 'by',
    in: 'query',
    required: true,
    description: 'What the usage is summed up by. Days are of the calendar in UTC.',
    schema: { type: 'string', enum: USAGE_BY },
  },
  UsageFrom: {
    name: 'from',
    in: 'query',
    description: 'The first day that counts. Default: 29 days before the last one. At most 366 days can be asked for.',
    schema: { type: 'string', format: 'date' },
    example: '2026-11-01',
  },
  UsageTo: {
    name: 'to',
    in: 'query',
    description: 'The last day that counts. Default: today.',
    schema: { type: 'string', format: 'date' },
    example: '2026-11-30',
  },
  AnswerId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The `id` of an answer.',
    schema: { type: 'string' },
    example: 'ans_01M7YFX2222TA0797FDHDYZR0C',
  },
};

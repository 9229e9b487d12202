import { REASONS, type Reason } from '@searchgate/core';
import type { ErrorEnvelope } from '@searchgate/core/extensions';
import { describe, expect, it } from 'vitest';
import { openAiErrorHeaders, presentOpenAiError } from './openai-error.js';

function envelopeOf(reason: Reason, metadata: object | null = null): ErrorEnvelope {
  const { status: code, type, message, retryable } = REASONS[reason];
  const error = { code, type, reason, message, param: 'model', retryable, request_id: 'req_1', metadata };
  return { error } as ErrorEnvelope;
}

const retryHeader = (reason: Reason, metadata?: object) =>
  openAiErrorHeaders(envelopeOf(reason, metadata))['x-should-retry'];

/** The error of a rate that is free again in this number of seconds. */
const rate = (seconds: number) => ({ scope: 'key', limit: 2, period_seconds: 86_400, retry_after: seconds });

describe('presentOpenAiError', () => {
  it('puts the reason where OpenAI’s clients look for a code, and keeps everything else', () => {
    expect(presentOpenAiError(envelopeOf('model_not_found', { suggestions: ['exa/answer'] }))).toEqual({
      error: {
        message: 'No model of this name can be called.',
        type: 'not_found_error',
        param: 'model',
        code: 'model_not_found',
        status: 404,
        retryable: false,
        request_id: 'req_1',
        metadata: { suggestions: ['exa/answer'] },
      },
    });
  });
});

describe('openAiErrorHeaders', () => {
  it('adds no header when OpenAI’s clients do the right thing without it', () => {
    for (const reason of ['invalid_field', 'idempotency_in_progress', 'upstream_error', 'shutting_down'] as const)
      expect(retryHeader(reason)).toBeUndefined();
    expect(retryHeader('rate_limited', rate(60))).toBeUndefined();
  });

  it('keeps clients from retrying calls that cannot succeed', () => {
    for (const reason of [
      'upstream_auth_failed',
      'upstream_quota_exhausted',
      'upstream_rejected',
      'hook_failed',
    ] as const)
      expect(retryHeader(reason)).toBe('false');
  });

  it('keeps clients from waiting for hours', () => {
    expect(retryHeader('rate_limited', rate(61))).toBe('false');
  });
});

import { describe, expect, it } from 'vitest';
import { assertQueryFits } from './query-limit.js';

describe('assertQueryFits', () => {
  it('accepts a query of the longest length, counted in code points', () => {
    expect(() => assertQueryFits('a'.repeat(400), 400)).not.toThrow();
    expect(() => assertQueryFits('🌉'.repeat(400), 400)).not.toThrow();
  });

  it('refuses one character more, having sent nothing', () => {
    expect(() => assertQueryFits('🌉'.repeat(401), 400)).toThrow(
      expect.objectContaining({
        name: 'UpstreamError',
        reason: 'query_rejected',
        phase: 'connect',
        status: null,
        detail: 'the query is longer than the 400 characters that the provider takes',
      }),
    );
  });
});

import type { UpstreamReason } from '../base/errors/reasons.js';

/**
 * The evidence of a failure against the provider. `certain`: no caller can cause the failure, so the next caller would have it too. `disputed`: the cause is
 * either the provider or a question whose answer is cut off, never comes or has no sources. Other reasons are only about a single request.
 */
const EVIDENCE: { readonly [R in UpstreamReason]?: 'certain' | 'disputed' } = {
  upstream_auth_failed: 'certain',
  upstream_quota_exhausted: 'certain',
  upstream_rate_limited: 'certain',
  upstream_error: 'certain',
  upstream_unreachable: 'certain',
  upstream_timeout: 'disputed',
  upstream_invalid_response: 'disputed',
};

/** The number of organizations that are counted separately. All others count together as one organization. */
const MAX_ORGANIZATIONS = 16;
/** No organization has this id. */
const FURTHER = '';

export type ConsecutiveFailures = ReturnType<typeof createConsecutiveFailures>;

/** The failures of a provider since its last success. */
export function createConsecutiveFailures() {
  const disputed = new Map<string, number>();
  let certain = 0;

  return {
    /** Counts a failure. @returns `false` for a failure that tells nothing about the provider. */
    add(reason: UpstreamReason, organizationId: string): boolean {
      const evidence = EVIDENCE[reason];
      if (evidence === 'certain') certain += 1;
      if (evidence === 'disputed') {
        const name = disputed.has(organizationId) || disputed.size < MAX_ORGANIZATIONS ? organizationId : FURTHER;
        disputed.set(name, (disputed.get(name) ?? 0) + 1);
      }
      return evidence !== undefined;
    },
    /**
     * The number of failures that count against the provider for all callers: certain failures, and disputed failures if they come from several organizations.
     * An organization counts for at most half of the threshold.
     */
    againstAll(threshold: number): number {
      if (disputed.size < 2) return certain;
      const most = Math.ceil(threshold / 2);
      let count = certain;
      for (const failures of disputed.values()) count += Math.min(failures, most);
      return count;
    },
    clear(): void {
      certain = 0;
      // Every answer comes here, and clearing even an empty map makes a new table.
      if (disputed.size > 0) disputed.clear();
    },
  };
}

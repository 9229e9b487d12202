import type { UpstreamReason } from '../base/errors/reasons.js';

/**
 * What a failure says about the provider. `certain`: no caller can cause it, so the next caller would meet it too. `disputed`: the
 * provider's fault, or that of a question which is cut off, never answered or answered without sources. Reasons that are not here are
 * about one request alone.
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

/** How many organizations are counted separately. All others count together as one. */
const MAX_ORGANIZATIONS = 16;
/** No organization has this id. */
const FURTHER = '';

/** The failures of one provider since its last success. */
export interface FailuresInARow {
  /** @returns whether it is counted: `false` where it says nothing about the provider. */
  add(reason: UpstreamReason, organizationId: string): boolean;
  /**
   * How many failures count against the provider for all callers: the certain ones, and the disputed ones once they come from several
   * organizations. No organization can make up more than half of the threshold.
   */
  againstAll(threshold: number): number;
  clear(): void;
}

export function createFailuresInARow(): FailuresInARow {
  const disputed = new Map<string, number>();
  let certain = 0;

  return {
    add(reason, organizationId) {
      const evidence = EVIDENCE[reason];
      if (evidence === 'certain') certain += 1;
      if (evidence === 'disputed') {
        const name = disputed.has(organizationId) || disputed.size < MAX_ORGANIZATIONS ? organizationId : FURTHER;
        disputed.set(name, (disputed.get(name) ?? 0) + 1);
      }
      return evidence !== undefined;
    },
    againstAll(threshold) {
      if (disputed.size < 2) return certain;
      const most = Math.ceil(threshold / 2);
      let count = certain;
      for (const failures of disputed.values()) count += Math.min(failures, most);
      return count;
    },
    clear() {
      certain = 0;
      disputed.clear();
    },
  };
}

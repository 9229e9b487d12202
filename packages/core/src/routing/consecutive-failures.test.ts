import { describe, expect, it } from 'vitest';
import { createConsecutiveFailures } from './circuit-breaker.js';

const organizations = (count: number) => Array.from({ length: count }, (_, index) => `organization-${index}`);

describe('consecutive failures', () => {
  it('count sixteen organizations separately, and all others as one', () => {
    const failures = createConsecutiveFailures();
    for (const name of organizations(18)) failures.add('upstream_timeout', name);
    failures.add('upstream_timeout', 'organization-15');
    expect(failures.againstAll(2)).toBe(17);
    expect(failures.againstAll(4)).toBe(16 + 1 + 2);
  });

  it('are cleared together', () => {
    const failures = createConsecutiveFailures();
    for (const name of organizations(2)) failures.add('upstream_timeout', name);
    failures.add('upstream_error', 'organization-0');
    failures.clear();
    expect(failures.againstAll(4)).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { createFailuresInARow } from './consecutive-failures.js';

const organizations = (count: number) => Array.from({ length: count }, (_, index) => `organization-${index}`);

describe('failures in a row', () => {
  it('tell sixteen organizations apart, and count all further ones as one', () => {
    const failures = createFailuresInARow();
    for (const name of organizations(18)) failures.add('upstream_timeout', name);
    failures.add('upstream_timeout', 'organization-15');
    expect(failures.againstAll(2)).toBe(17);
    expect(failures.againstAll(4)).toBe(16 + 1 + 2);
  });

  it('are forgotten together', () => {
    const failures = createFailuresInARow();
    for (const name of organizations(2)) failures.add('upstream_timeout', name);
    failures.add('upstream_error', 'organization-0');
    failures.clear();
    expect(failures.againstAll(4)).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { createFailuresInARow } from './failures-in-a-row.js';

const organizations = (count: number) => Array.from({ length: count }, (_, index) => `organization-${index}`);

describe('failures in a row', () => {
  it('tell sixteen organizations apart, and count all further ones as one', () => {
    const failures = createFailuresInARow();
    for (const name of organizations(18)) failures.add('upstream_timeout', name);
    failures.add('upstream_timeout', 'organization-15');
    expect([0, 15, 16, 17].map((index) => failures.againstOne(`organization-${index}`))).toEqual([1, 2, 0, 0]);
    expect(failures.againstAll(2)).toBe(17);
    expect(failures.againstAll(4)).toBe(16 + 1 + 2);
  });

  it('are forgotten together', () => {
    const failures = createFailuresInARow();
    for (const name of organizations(2)) failures.add('upstream_timeout', name);
    failures.add('upstream_error', 'organization-0');
    failures.clear();
    expect([failures.againstOne('organization-0'), failures.againstAll(4)]).toEqual([0, 0]);
  });
});

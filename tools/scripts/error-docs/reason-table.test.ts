import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withReasons } from './reason-table.js';

it('docs/errors.md matches the output of `npm run docs:errors`', () => {
  const current = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8');
  expect(current, 'docs/errors.md is out of date: npm run docs:errors').toBe(withReasons(current));
});

it('has one row for the reasons with the same status, type and retryability', () => {
  const table = withReasons('<!-- reasons:start -->\n<!-- reasons:end -->\n');
  expect(table).toContain(
    '| 402 | `insufficient_credits` | no | [organization_credits_exhausted](#organization_credits_exhausted), [key_limit_reached](#key_limit_reached), [budget_exceeded](#budget_exceeded) |',
  );
  expect(table).toContain('| 504 | `upstream_error` | yes | [upstream_timeout](#upstream_timeout) |');
});

import { expect, it } from 'vitest';
import { createHoldRoutes } from './hold-routes.js';

it('knows the organization of a hold once, and of 100,000 holds at most', () => {
  const routes = createHoldRoutes();
  for (let index = 0; index <= 100_000; index += 1) routes.add(`hold-${index}`, `organization-${index}`);
  expect(routes.take('hold-0')).toBe('hold-0');
  expect(routes.take('hold-1')).toBe('organization-1');
  expect(routes.take('hold-1')).toBe('hold-1');
  expect(routes.take('hold-100000')).toBe('organization-100000');
});

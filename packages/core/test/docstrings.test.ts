import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { undescribed, withoutDefault } from './docstrings.js';
import { root } from './markdown.js';
import { programOf, publicEntries } from './public-types.js';

describe('the comments of the public types', () => {
  const entries = readdirSync(join(root, 'packages')).flatMap(publicEntries);
  let program: ReturnType<typeof programOf>;
  beforeAll(() => (program = programOf(entries)), 120_000);

  it('describe every exported name, and every field of an exported type', { timeout: 120_000 }, () => {
    expect(entries.length).toBeGreaterThan(20);
    expect(undescribed(program, entries)).toEqual([]);
  });

  it('name the default of every option', { timeout: 120_000 }, () => {
    expect(withoutDefault(program, entries)).toEqual([]);
  });
});

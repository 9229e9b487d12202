import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { undescribed } from './docstrings.js';
import { root } from './markdown.js';
import { programOf, publicEntries } from './public-types.js';

/** Folders whose names and fields are still to be described. */
const LATER = /^packages\/core\/src\/(?:answer|http|kinds|request)\//;

it('describes every exported name, and every field of an exported type', { timeout: 120_000 }, () => {
  const entries = readdirSync(join(root, 'packages')).flatMap(publicEntries);
  expect(entries.length).toBeGreaterThan(20);
  expect(undescribed(programOf(entries), entries).filter((name) => !LATER.test(name))).toEqual([]);
});

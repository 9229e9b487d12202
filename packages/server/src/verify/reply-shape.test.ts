import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROVIDERS } from '../../test/kit/scripted-vendor.js';
import { knownShapes, shapeOf } from './reply-shape.js';

/** Files of several replies, and of what is expected. */
const NO_REPLIES = /^(?:errors|failures|expected-answers)\.json$/;

/** The different shapes of a provider's fixtures, each as sorted paths. */
function shapesOf(id: string): string[][] {
  const folder = join(PROVIDERS, id, 'fixtures');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => !NO_REPLIES.test(name)) : [];
  const shapes = files.map((name) => [...shapeOf(readFileSync(join(folder, name), 'utf8'))].sort());
  return [...new Map(shapes.map((shape) => [shape.join(), shape])).values()].filter(({ length }) => length > 0);
}

/** Each path once, below the numbers of the shapes that have it. */
function grouped(shapes: readonly (readonly string[])[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const path of [...new Set(shapes.flat())].sort()) {
    const numbers = shapes.flatMap((shape, number) => (shape.includes(path) ? number : []));
    (groups[numbers.join()] ??= []).push(path);
  }
  return groups;
}

const shapes = readdirSync(PROVIDERS)
  .map((id) => [id, shapesOf(id)] as const)
  .filter(([, { length }]) => length > 0);

it('shapes.json has the shapes of all fixtures: `npx vitest run -u` on this test writes it', async () => {
  const lines = shapes.map(([id, each]) => `${JSON.stringify(id)}:${JSON.stringify(grouped(each))}`);
  const text = `{\n${lines.join(',\n')}\n}\n`;
  expect(text.length).toBeLessThan(60_000);
  await expect(text).toMatchFileSnapshot('shapes.json');
});

it.each(shapes)('the shapes of %s are read as they were', (id, each) => {
  expect(knownShapes(id).map((shape) => [...shape].sort())).toEqual(each);
});

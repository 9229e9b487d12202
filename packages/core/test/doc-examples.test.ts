import { expect, it } from 'vitest';
import { REASONS } from '../src/index.js';
import { codeBlocks, documents, read, sections } from './markdown.js';
import { successBodies } from './success-bodies.js';
import { type Example, examplesIn, typeErrors } from './type-check-examples.js';

/** `shows` accepts `true` if a shape has exactly the fields of the real metadata, except for `readonly` and the members of a union. */
const METADATA_TYPES = `
  import type { ErrorEnvelope, Reason } from '@searchgate/core';
  type Mutable<T> = T extends readonly (infer E)[] ? Mutable<E>[] : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
  type Metadata<R extends Reason> = Mutable<ErrorEnvelope<R>['error']['metadata']>;
  type Matches<Real, Shown> = [Real] extends [Shown] ? ([keyof Real] extends [keyof Shown] ? true : false) : false;
  declare function shows<Real, Shown>(reason: string, matches: Matches<Real, Shown>): void;`;

/** The metadata of each reason in errors.md. */
const printedMetadata = new Map(
  sections(read('docs/errors.md')).map(({ heading, body }) => [
    heading,
    /^Metadata: `(.+)`$/m.exec(body)?.[1] ?? 'null',
  ]),
);

it('the documents’ TypeScript, and their bodies of successes, compile against the current code', async () => {
  // One program for all, since reading their common types takes long.
  const bodies = await successBodies();
  expect(bodies.length).toBeGreaterThan(5);
  expect(typeErrors([...examplesIn(documents()), metadataShapes(), ...bodies])).toEqual([]);
});

/** Compares the metadata in errors.md with its type. */
function metadataShapes(): Example {
  const checks = Object.keys(REASONS).map(
    (reason) => `shows<Metadata<'${reason}'>, ${printedMetadata.get(reason) ?? 'never'}>('${reason}', true);`,
  );
  const shared = codeBlocks(read('docs/errors.md'), 'ts').map(({ code }) => code);
  return { document: 'docs/errors.md', line: 0, code: [METADATA_TYPES, ...shared, ...checks].join('\n') };
}

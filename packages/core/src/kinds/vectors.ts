import { setImmediate } from 'node:timers/promises';
import type { Embedding } from '../provider-kit/provider.js';
import { MAX_VECTOR_LENGTH } from '../text/reply-limits.js';
import { isObject } from './kind.js';

/** A vector as callers see it: numbers, or base64 of little-endian floats of 32 bits. */
export type Vector = string | readonly number[];

export interface VectorForm {
  /** How many vectors there have to be. */
  readonly count: number;
  /** How long each has to be; `null`: as long as the others, at most {@link MAX_VECTOR_LENGTH}. */
  readonly dimensions: number | null;
  readonly encodingFormat: 'float' | 'base64';
}

const BYTES_PER_NUMBER = 4;
/** Most numbers that are read in one turn of the event loop: ten vectors of the usual length. */
const NUMBERS_PER_TURN = 16_384;

/**
 * Checks the vectors of a port, and brings them into the form that the caller wants. Other calls go on meanwhile.
 *
 * @returns the vectors in the order of the texts; a text for vectors that cannot be right.
 */
export async function readVectors(
  embeddings: readonly Embedding[],
  { count, dimensions, encodingFormat }: VectorForm,
): Promise<readonly Vector[] | string> {
  if (embeddings.length !== count) return `${embeddings.length} vectors for ${count} texts`;
  const vectors = Array.from<Vector | undefined>({ length: count });
  let length = dimensions;
  let read = 0;
  for (const embedding of embeddings) {
    const { index, vector } = isObject(embedding) ? embedding : ({} as Partial<Embedding>);
    if (typeof index !== 'number' || !Object.hasOwn(vectors, index) || vectors[index] !== undefined)
      return 'an index is wrong';
    // A vector is measured before it is read.
    const found = lengthOf(vector);
    length ??= Math.min(found, MAX_VECTOR_LENGTH);
    if (found !== length) return `a vector of ${found} numbers in place of ${length}`;
    const numbers = typeof vector === 'string' ? decoded(vector) : vector;
    if (!isVector(numbers) || numbers.length !== length) return 'a vector is wrong';
    if (encodingFormat === 'float') vectors[index] = numbers;
    else vectors[index] = typeof vector === 'string' ? vector : encoded(numbers);
    read += numbers.length;
    if (read < NUMBERS_PER_TURN) continue;
    read = 0;
    await setImmediate();
  }
  return vectors as readonly Vector[];
}

/** How many numbers a vector has; of base64, how many fit. */
function lengthOf(vector: string | readonly number[] | undefined): number {
  if (typeof vector === 'string') return Math.floor((vector.length * 3) / 4 / BYTES_PER_NUMBER);
  return Array.isArray(vector) ? vector.length : 0;
}

/** Numbers of 32 bits that point in some direction. */
function isVector(numbers: readonly number[] | undefined): numbers is readonly number[] {
  if (!Array.isArray(numbers)) return false;
  let isZero = true;
  for (const number of numbers as readonly unknown[]) {
    const float = typeof number === 'number' ? Math.fround(number) : Number.NaN;
    if (!Number.isFinite(float)) return false;
    if (float !== 0) isZero = false;
  }
  return !isZero;
}

function decoded(base64: string): number[] | undefined {
  const bytes = Buffer.from(base64, 'base64');
  // Node skips what is no base64, and every number behind it would be another.
  if (bytes.length % BYTES_PER_NUMBER !== 0 || bytes.toString('base64') !== base64) return undefined;
  return Array.from({ length: bytes.length / BYTES_PER_NUMBER }, (_, at) => bytes.readFloatLE(at * BYTES_PER_NUMBER));
}

function encoded(numbers: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(numbers.length * BYTES_PER_NUMBER);
  for (const [at, number] of numbers.entries()) bytes.writeFloatLE(number, at * BYTES_PER_NUMBER);
  return bytes.toString('base64');
}

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { isUpstreamError } from '@searchgate/core/provider-kit';
import { withoutGaps } from './given-fields.js';
import { changedReplies } from './mutations.js';
import type { Ending } from './scene.js';

/** A JSON value with `null` in one of its fields, or without the field. */
interface Changed {
  readonly value: unknown;
  readonly isNull: boolean;
  /** The path of the field. */
  readonly change: string;
}

/** Names of which a vendor uses some, and may send the others as `null`. */
const NAMES = ['choices', 'code', 'data', 'detail', 'error', 'errors', 'index', 'message', 'meta', 'results'];
const MORE_NAMES = ['relevance_score', 'score', 'status', 'success', 'type', 'usage'];

/** First with `null` in every field that an object of the value might have; then each field, at any depth, with `null` and without the field. */
function* nulls(value: unknown): Generator<Changed> {
  const names = [...new Set([...NAMES, ...MORE_NAMES, ...namesIn(value)])];
  yield { value: filled(value, names), isNull: true, change: 'every absent field' };
  yield { value, isNull: false, change: '' };
  yield* nullsAt(value, '');
}

function* nullsAt(value: unknown, path: string): Generator<Changed> {
  if (typeof value !== 'object' || value === null) return;
  // The elements of a list are similar.
  const [entries, isList] = Array.isArray(value)
    ? [Object.entries(value).slice(0, 1), true]
    : [Object.entries(value), false];
  for (const [key, element] of entries) {
    const change = `${path}/${key}`;
    const put = (replaced: unknown) =>
      Array.isArray(value) ? value.with(Number(key), replaced) : { ...value, [key]: replaced };
    if (!isList) {
      yield { value: put(null), isNull: true, change };
      yield { value: put(undefined), isNull: false, change };
    }
    if (isData(key, element)) continue;
    for (const changed of nullsAt(element, change)) yield { ...changed, value: put(changed.value) };
  }
}

function filled(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => filled(element, names));
  const known = Object.entries(value).map(([key, element]) => [
    key,
    isData(key, element) ? element : filled(element, names),
  ]);
  return Object.fromEntries([...names.map((name) => [name, null]), ...known]);
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(namesIn)];
}

/** A structured text, whose nulls belong to the answer. */
function isData(key: string, value: unknown): boolean {
  return (key === 'content' || key === 'answer') && !Array.isArray(value);
}

/**
 * A field that is `null` means the same as an absent field.
 *
 * @param run reads a reply on the wire.
 */
export async function checkNulls(reply: unknown, run: (text: string) => Promise<Ending>): Promise<void> {
  const usual = meaningOf(await run(typeof reply === 'string' ? reply : JSON.stringify(reply)));
  let withNull: unknown;
  for (const { text, isNull, change } of changedReplies(reply, nulls)) {
    if (isNull) withNull = meaningOf(await run(text));
    // Most fields are not read at all.
    else if (!isDeepStrictEqual(withNull, usual))
      assert.deepEqual(
        withNull,
        meaningOf(await run(text)),
        `null means the same as absence: ${change || 'every field'}`,
      );
  }
}

function meaningOf(ending: Ending): unknown {
  return isUpstreamError(ending) ? ending.reason : withoutGaps(ending);
}

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { isUpstreamError } from '@searchgate/core/provider-kit';
import { withoutGaps } from './given-fields.js';
import { changedReplies, changesWithin } from './mutations.js';
import type { Ending } from './scene.js';

const gaps = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]));
/** Fields of which a vendor uses some, and may send the others as `null`. */
const ALL_NULL = {
  ...gaps('choices code data errors index message results relevance_score score status success usage'),
  error: gaps('code message type'),
};

/** A JSON value with `null` in its fields, or without them. */
interface Changed {
  readonly value: unknown;
  readonly isNull: boolean;
  readonly change: string;
}

/** The nulls of a structured text belong to the answer. */
const DATA = /\/(?:content|answer)(?:\/\D|$)/;

/** Each field of an object: with `null`, then without the field. */
function* nulls(value: unknown, path: string): Generator<Changed> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || DATA.test(path)) return;
  yield { value: { ...ALL_NULL, ...value }, isNull: true, change: path };
  yield { value, isNull: false, change: `more fields in ${path}/` };
  for (const key of Object.keys(value)) {
    const change = `${path}/${key}`;
    yield { value: { ...value, [key]: null }, isNull: true, change };
    yield { value: { ...value, [key]: undefined }, isNull: false, change };
  }
}

/**
 * A field that is `null` means the same as an absent field.
 *
 * @param run reads a reply on the wire.
 */
export async function checkNulls(reply: unknown, run: (text: string) => Promise<Ending>): Promise<void> {
  const meaningIn = async (text: string) => {
    const ending = await run(text);
    return isUpstreamError(ending) ? ending.reason : withoutGaps(ending);
  };
  const usual = await meaningIn(typeof reply === 'string' ? reply : JSON.stringify(reply));
  let meaning: unknown;
  for (const { text, isNull, change } of changedReplies(reply, (whole) => changesWithin(whole, nulls, { most: 1 }))) {
    if (isNull) meaning = await meaningIn(text);
    // Most fields are not read at all.
    else if (!isDeepStrictEqual(meaning, usual))
      assert.deepEqual(meaning, await meaningIn(text), `null means the same as absence: ${change}`);
  }
}

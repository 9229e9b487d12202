import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { isUpstreamError } from '@searchgate/core/provider-kit';
import { withoutGaps } from './given-fields.js';
import { changedReplies } from './mutations.js';
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

/** Each field of a JSON value, at any depth: with `null`, then without the field. Of a list, the first element. */
function* nulls(value: unknown, path = ''): Generator<Changed> {
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  if (!isList) {
    yield { value: { ...ALL_NULL, ...value }, isNull: true, change: path };
    yield { value, isNull: false, change: `more fields in ${path}/` };
  }
  for (const [key, element] of Object.entries(value).slice(0, isList ? 1 : undefined)) {
    const change = `${path}/${key}`;
    const put = (field: unknown) => (isList ? value.with(Number(key), field) : { ...value, [key]: field });
    if (!isList) yield { value: put(null), isNull: true, change };
    if (!isList) yield { value: put(undefined), isNull: false, change };
    // The nulls of a structured text belong to the answer.
    const isData = (key === 'content' || key === 'answer') && !Array.isArray(element);
    if (!isData) for (const changed of nulls(element, change)) yield { ...changed, value: put(changed.value) };
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
  for (const { text, isNull, change } of changedReplies(reply, (value) => nulls(value))) {
    if (isNull) meaning = await meaningIn(text);
    // Most fields are not read at all.
    else if (!isDeepStrictEqual(meaning, usual))
      assert.deepEqual(meaning, await meaningIn(text), `null means the same as absence: ${change}`);
  }
}

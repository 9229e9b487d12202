import { MAX_REPLY_DEPTH } from '../base/json-counts.js';
import { MAX_ANNOTATIONS } from '../text/reply-limits.js';

/** A list that is too long has at least two characters per element, so its text is at least this long. */
const MIN_LENGTH_OF_MANY = 2 * MAX_ANNOTATIONS;
/** Most values in a reply after its lists are cut. Values inside lists and objects count too. */
const MAX_VALUES = 100_000;

/**
 * Cuts every list of a parsed reply to its first {@link MAX_ANNOTATIONS} elements.
 *
 * @param length of the reply's text: most replies are too short to contain a list that must be cut.
 * @returns false for a reply with more values or deeper nesting than any provider sends: checking its shape would take too long.
 */
export function limitReply(reply: object, length: number): boolean {
  if (length < MIN_LENGTH_OF_MANY) return true;
  let values = 0;
  function isBounded(value: unknown, depth: number): boolean {
    values += 1;
    if (typeof value !== 'object' || value === null) return values <= MAX_VALUES;
    if (values > MAX_VALUES || depth > MAX_REPLY_DEPTH) return false;
    if (!Array.isArray(value)) return areBounded(value, depth);
    if (value.length > MAX_ANNOTATIONS) value.length = MAX_ANNOTATIONS;
    return value.every((element) => isBounded(element, depth + 1));
  }
  function areBounded(fields: object, depth: number): boolean {
    for (const name in fields) if (!isBounded((fields as Record<string, unknown>)[name], depth + 1)) return false;
    return true;
  }
  return isBounded(reply, 0);
}

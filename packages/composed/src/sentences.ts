/** Longer sentences are cut, in UTF-16 code units. */
const MAX_SENTENCE = 1_500;
/** A line end; or full stops with the quotation marks and the markers behind them, and a look at what follows. */
const END =
  /\n|(?<stops>[\p{STerm}…]+)(?<behind>["'”’»)\]*_~]*(?:[^\S\n]*\p{Co})*)(?=(?<space>[^\S\n]*)(?<next>[^]?))/gu;
/** Behind these a full stop ends no sentence: initials, short titles and days. A sentence too many that is joined is only checked more strictly. */
const SHORT = /(?:(?<![\p{L}\p{N}])(?:\p{L}|\p{Lu}\p{Ll}{1,2}|Prof|Corp|vs|ca|bzw|им|ул)|(?<!\S)\d{1,2})$/u;

interface Place {
  readonly isEnd: boolean;
  /** The end of the sentence, or where to look next. */
  readonly at: number;
}

/**
 * Finds the end of the first sentence of a text, in any script.
 *
 * @param from where to look. @param isWhole whether no more text comes, which may belong to the sentence.
 */
export function sentenceEnd(text: string, from: number, isWhole: boolean): Place {
  const window = text.slice(0, MAX_SENTENCE);
  END.lastIndex = from;
  for (const { index, 0: written, groups = {} } of window.matchAll(END)) {
    const at = index + written.length;
    const isLast = groups['next'] === '' && at + (groups['space'] ?? '').length === window.length;
    if (isLast && window !== text) break;
    if (isLast && !isWhole) return { isEnd: false, at: index };
    if (isLast || endsSentence(groups, window.slice(Math.max(0, index - 6), index))) return { isEnd: true, at };
  }
  if (window !== text) return { isEnd: true, at: cutOf(window) };
  return { isEnd: isWhole && text !== '', at: text.length };
}

function endsSentence({ stops = '', behind = '', space = '', next = '' }: Record<string, string>, before: string) {
  if (stops === '' || !/[.!?…]/.test(stops)) return true;
  if (!/[\s\p{Co}]/u.test(behind + space) || /\p{Ll}/u.test(next)) return false;
  return stops + behind !== '.' || !SHORT.test(before);
}

/** Between words where possible. */
function cutOf(window: string): number {
  const space = window.lastIndexOf(' ');
  return space > MAX_SENTENCE / 2 ? space : window.search(/[\uD800-\uDBFF]?$/);
}

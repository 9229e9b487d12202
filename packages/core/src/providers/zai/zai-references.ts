import { MAX_ANNOTATIONS } from '../../text/reply-limits.js';

const REFERENCES =
  /[[【(（]([^[\]【】()（）\n]{0,20}?)(ref_\d{1,3}(?:[\s,，、;；]{1,3}ref_\d{1,3}){0,20})[\]】)）]|\bref_(\d{1,3})\b/g;

/** Whether a page has this number. A reference to an unknown number stays text. */
export type IsKnown = (number: string) => boolean;

/** Replaces the first {@link MAX_ANNOTATIONS} references, such as `[ref_1]`, `[来源：ref_1, ref_2]`, `(see ref_3)` and `ref_4`, by citation markers `【1】`. */
export function withMarkers(text: string, isKnown: IsKnown = () => true): string {
  return rewrite(text, MAX_ANNOTATIONS, isKnown).text;
}

function rewrite(text: string, most: number, isKnown: IsKnown): { readonly text: string; readonly count: number } {
  const parts: string[] = [];
  let from = 0;
  let count = 0;
  for (const { 0: marker, index } of text.matchAll(REFERENCES)) {
    if (count === most) break;
    const numbers: string[] = marker.match(/(?<=ref_)\d+/g) ?? [];
    if (!numbers.every(isKnown)) continue;
    count += 1;
    parts.push(text.slice(from, index), `【${numbers.join(', ')}】`);
    from = index + marker.length;
  }
  return { text: parts.join('') + text.slice(from), count };
}

/** Does the same with a text that comes in parts. Holds back up to 230 characters that may begin a reference. */
export function createReferenceReader(handOver: (part: string) => void, isKnown: IsKnown = () => true) {
  let held = '';
  let count = 0;
  /** A stand-in for the character before the held text, because `ref_4` inside of a word is no reference. */
  let context = '';
  return {
    push(part: string): void {
      held += part;
      const end = undecidedFrom(context + held) - context.length;
      if (end <= 0) return;
      const rewritten = rewrite(context + held.slice(0, end), MAX_ANNOTATIONS - count, isKnown);
      count += rewritten.count;
      const decided = rewritten.text.slice(context.length);
      context = /\w/.test(held.charAt(end - 1)) ? 'x' : ' ';
      held = held.slice(end);
      handOver(decided);
    },
  };
}

const LONGEST = 230;
const BRACKETS = '[]【】()（）';
/** A possible beginning of references in brackets: words, or references and a part of the next reference. */
const BRACKETED = /^[[【(（][^[\]【】()（）\n]{0,23}$/;
const LISTED =
  /^[[【(（][^[\]【】()（）\n]{0,20}?ref_\d{0,3}(?:[\s,，、;；]{1,3}ref_\d{1,3}){0,20}[\s,，、;；]{0,3}(?:r|re|ref|ref_)?$/;
const ALONE = /\b(?:r|re|ref|ref_\d{0,3})$/;

/** The offset of a possible beginning of a reference at the end of a text. */
function undecidedFrom(text: string): number {
  const start = Math.max(0, text.length - LONGEST);
  const tail = text.slice(start);
  const alone = ALONE.exec(tail)?.index ?? tail.length;
  const bracket = lastBracket(tail);
  const isOpen = bracket !== -1 && (BRACKETED.test(tail.slice(bracket)) || LISTED.test(tail.slice(bracket)));
  return start + (isOpen ? Math.min(bracket, alone) : alone);
}

function lastBracket(text: string): number {
  let at = text.length - 1;
  while (at >= 0 && !BRACKETS.includes(text.charAt(at))) at -= 1;
  return at;
}

import { matchAt } from './marker-forms.js';
import type { PositionOf } from './marker-numbers.js';
import type { MarkedText, TextMarker } from './marker-writer.js';
import { MAX_PASSAGES } from './reply-limits.js';

/** What can begin code, another form of marker, an escape or an artefact. Searched one by one, which is many times faster than an expression for all. */
const UNORDINARY = ['`', '<', '\\', '【', '\ue200', '\t', '~~~'];
/** What can be the indentation of code. */
const INDENTATION = / {4}/;
/** A marker `[n]`, behind which neither the address of a link nor an argument begins. */
const MARKER = /\[([1-9]\d{0,2})\](?![({])/y;
/** What a marker may follow without being an index. */
const BEFORE_MARKER = /[\s.,;:!?]/;

/**
 * The markers of a text whose brackets are all markers of known sources, in the form in which the gateway writes them, and which has no code: most whole
 * answers. Such a text needs no rewriting, which takes several times as long as this look. `undefined` for every other text.
 */
export function ordinaryMarkers(given: string, positionOf: PositionOf): MarkedText | undefined {
  const isOrdinary = given.length <= MAX_PASSAGES && !UNORDINARY.some((each) => given.includes(each));
  if (!isOrdinary || INDENTATION.test(given)) return undefined;
  const text = given.trim();
  const markers: TextMarker[] = [];
  let end = -1;
  /** Of the markers that stand together. */
  let run = '';
  for (let start = text.indexOf('['); start !== -1; start = text.indexOf('[', end)) {
    const [written, number = ''] = matchAt(MARKER, text, start) ?? [];
    if (start !== end) run = '';
    const isIndex = start !== end && start > 0 && !BEFORE_MARKER.test(text.charAt(start - 1));
    if (written === undefined || isIndex || run.includes(written) || positionOf(number) !== Number(number))
      return undefined;
    run += written;
    end = start + written.length;
    markers.push({ start, end, position: Number(number) });
  }
  return { text, markers };
}

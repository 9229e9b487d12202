import { isWhiteSpace } from '../text/characters.js';
import { type Cut, lastCut } from '../text/live-cuts.js';

/** Whether a bracket, code or a link is open at the end. */
export function isLeftOpen(text: string, isStart: boolean): boolean {
  return lastCut(`${text}x`, isStart).cut <= text.length;
}

export interface CutOptions {
  readonly isStart: boolean;
  readonly isCleaned: boolean;
}

/** The last cut in front of which nothing of an annotated text is undecided, links aside. */
export function settledCut(text: string, { isStart, isCleaned }: CutOptions): Cut {
  let end = text.length;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = lastCut(text.slice(0, end), isStart);
    if (found.opened === 'unclear') return found;
    const at = found.opened?.lineEnd ?? found.cut;
    const hazard = hazardAt(text, at, isCleaned);
    if (hazard === at) return found;
    end = hazard;
  }
  return { cut: 0 };
}

/** Real texts need two at most. */
const MAX_ROUNDS = 4;

/** Where that begins which a cut here would part; else the cut itself. */
export function hazardAt(text: string, cut: number, isCleaned: boolean): number {
  // What may still be annotated as a marker, until the part ends: an address alone, and what is left of a marker.
  const unlinked = text.search(UNLINKED);
  let at = unlinked === -1 ? cut : Math.min(unlinked, cut);
  for (let start = at - 1; start > at - ADDRESS.length; start -= 1) if (isAddressBegun(text, start)) at = start;
  // Of the parentheses around a group of links.
  while (text[at - 1] === '(') at -= 1;
  return isCleaned ? beforeAddress(text, at) : at;
}

const UNLINKED = /\ue200|(?<!\]\(<?)https?:\/\//;
const ADDRESS = 'https://';

function isAddressBegun(text: string, start: number): boolean {
  if (start < 0 || text.length - start >= ADDRESS.length) return false;
  const rest = text.slice(start);
  return ADDRESS.startsWith(rest) || 'http://'.startsWith(rest);
}

/** In front of a word that may hold the parameters of an address, unless the word is over. */
function beforeAddress(text: string, cut: number): number {
  if (cut < text.length && isWhiteSpace(text.charCodeAt(cut))) return cut;
  let start = cut;
  while (start > 0 && !isWhiteSpace(text.charCodeAt(start - 1))) start -= 1;
  return /:\/\/|[?&]/.test(text.slice(start, cut)) ? start : cut;
}

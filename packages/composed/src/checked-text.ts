import type { AnswerOutcome, Citation, LiveAnswer, TextMarker } from '@searchgate/core/provider-kit';
import { holds, overlap, type Statement, statementOf } from './facts.js';
import type { PageSource } from './gather.js';
import { samePage, withoutForeignLinks } from './links.js';
import { sentenceEnd } from './sentences.js';
import type { Recipe } from './settings.js';

interface CheckedTextOptions extends Pick<Recipe, 'check' | 'onUnsupported'> {
  readonly sources: readonly PageSource[];
  /** Receives what was checked. */
  readonly live?: LiveAnswer | undefined;
}

type Written = Pick<AnswerOutcome, 'text' | 'markers'>;

/** Markers are characters for private use while a text is checked: their sources' numbers, from here on. */
const MARKER_BASE = 0xf0000;
const MARKERS = /(\p{Co})/gu;
/** In place of a marker that is taken out. */
const GONE = '\ue000';
export const HAS_WORDS = /[\p{L}\p{N}]/u;
/** What comes before a run of markers, and the run. */
const RUN = /(\P{Co}*)(\p{Co}(?:[\s\p{P}]*\p{Co})*)/guy;
/** Numbers of lists, and addresses: they state nothing. */
const NO_STATEMENT = /^[\s>#*-]*\d{1,3}[.)]\s|https?:\/\/[^\s<>()[\]\p{Co}]+/giu;
/** A clause with less to look up is judged with its sentence. */
const LEAST_FACTS = 2;

/**
 * Checks the text of a chat model sentence by sentence while it arrives: markers whose source does not hold are taken out, the others renumbered by their first
 * use. Nothing is handed over before the first sentence that holds, so that an answer without any can still go to another model.
 */
export class CheckedText {
  readonly #options: CheckedTextOptions;
  readonly #said: (Statement | undefined)[] = [];
  readonly #sourceOf: (address: string) => string | undefined;
  #received = 0;
  /** What was not checked yet, and where to look for its first end. */
  #rest = '';
  #from = 0;
  /** The numbers of the cited sources, by their positions. */
  readonly #cited: number[] = [];
  /** White space behind the text, so that none is left at the end. */
  #space = '';
  #checked = '';
  /** What of it was not handed over yet, and how many citations were. */
  #waiting = '';
  #shown = 0;
  readonly citations: Citation[] = [];
  readonly grounding = { sentences: 0, supported: 0, unsupported: 0, removed: 0 };

  constructor(options: CheckedTextOptions) {
    this.#options = options;
    // A bracket would end a link.
    const addresses = new Map(options.sources.map(({ url }) => [samePage(url), url.replace(/[()]/g, encodeBracket)]));
    this.#sourceOf = (address) => addresses.get(samePage(address));
  }

  /** Whether a citation was taken out that fails the answer. */
  get isRefused(): boolean {
    const { check, onUnsupported } = this.#options;
    return check === 'words' && onUnsupported === 'fail' && this.grounding.removed > 0;
  }

  /** Adds the next part of the text. @param from how much of it is known. */
  push(part: string, markers: readonly TextMarker[] = [], from = 0): void {
    let at = from;
    for (const { start, end, position } of markers.filter((marker) => marker.start >= from)) {
      this.#rest += part.slice(at, start).replace(MARKERS, '') + String.fromCodePoint(MARKER_BASE + position);
      at = end;
    }
    this.#rest += part.slice(at).replace(MARKERS, '');
    this.#received += part.length - from;
    this.#check(false);
  }

  /** Adds the rest of the whole text. */
  end({ text, markers }: Written): void {
    this.push(text, markers, this.#received);
    this.#check(true);
  }

  get written(): Written {
    return written(this.#checked);
  }

  #check(isWhole: boolean): void {
    for (;;) {
      const { isEnd, at } = sentenceEnd(this.#rest, this.#from, isWhole);
      this.#from = isEnd ? 0 : at;
      if (!isEnd) return;
      this.#add(this.#judged(this.#rest.slice(0, at)));
      this.#rest = this.#rest.slice(at);
    }
  }

  /** A sentence with the positions of citations in place of the numbers of sources. */
  #judged(sentence: string): string {
    const said = sentence.replace(NO_STATEMENT, ' ');
    const runs = Array.from(said.matchAll(RUN));
    const whole = statementOf(runs.length === 0 ? '' : said.replace(MARKERS, ' '));
    const positions = runs.flatMap(({ index, 0: { length }, 1: words = '', 2: run = '' }, place) => {
      const own = statementOf(place === runs.length - 1 ? words + said.slice(index + length) : words);
      const clause = runs.length === 1 || own.facts.size + own.content.size < LEAST_FACTS ? whole : own;
      return Array.from(run.matchAll(MARKERS), ({ 0: marker }) => this.#positionOf(numberOf(marker), clause));
    });
    this.#count(HAS_WORDS.test(said), positions);
    let next = 0;
    return sentence.replace(MARKERS, () => {
      const position = positions[next++];
      return position === undefined ? GONE : String.fromCodePoint(MARKER_BASE + position);
    });
  }

  #count(isSentence: boolean, positions: readonly (number | undefined)[]): void {
    const held = positions.filter((position) => position !== undefined).length;
    this.grounding.removed += positions.length - held;
    if (!isSentence) return;
    this.grounding.sentences += 1;
    if (positions.length > 0) this.grounding[held > 0 ? 'supported' : 'unsupported'] += 1;
  }

  /** The position of a source in the citations, if it holds. */
  #positionOf(number: number, clause: Statement): number | undefined {
    const source = this.#options.sources[number - 1];
    if (source === undefined) return undefined;
    const { url, title, passages } = source;
    const said = (this.#said[number] ??= statementOf(title, ...passages));
    if (this.#options.check === 'words' && !holds(said, clause)) return undefined;
    if (!this.#cited.includes(number)) {
      const scored = passages.map((passage) => ({ passage, score: overlap(statementOf(passage), clause) }));
      const [best] = scored.toSorted((a, b) => b.score - a.score);
      this.citations.push({ url, title: title || null, snippet: best?.passage.replaceAll(/\s+/g, ' ') });
      this.#cited.push(number);
    }
    return this.#cited.indexOf(number) + 1;
  }

  #add(judged: string): void {
    const { check, onUnsupported } = this.#options;
    const marked = check === 'words' && onUnsupported === 'mark' ? judged.replace(GONE, '[?]') : judged;
    const kept = marked
      .replace(/(?:[^\S\n]*\ue000)+(?=[\s\p{P}]|$)|\ue000/gu, '')
      .replace(/(\p{Co})(?:[^\S\n]*\1)+/gu, '$1');
    const linked = withoutForeignLinks(kept, this.#sourceOf);
    const cleared = this.#checked === '' ? linked.trimStart() : linked;
    const body = cleared.trimEnd();
    const text = body === '' ? '' : this.#space + body;
    this.#space = (body === '' ? this.#space : '') + cleared.slice(body.length);
    this.#checked += text;
    this.#waiting += text;
    this.#handOver();
  }

  #handOver(): void {
    const { live, check } = this.#options;
    if (this.isRefused || this.#waiting === '' || (check === 'words' && this.grounding.supported === 0)) return;
    if (this.citations.length > this.#shown) live?.citations([...this.citations]);
    this.#shown = this.citations.length;
    const { text, markers } = written(this.#waiting);
    live?.text(text, markers);
    this.#waiting = '';
  }
}

const encodeBracket = (bracket: string) => (bracket === '(' ? '%28' : '%29');

/** The number that a marker stands for; not positive for other text. */
function numberOf(marker: string): number {
  return (marker.codePointAt(0) ?? 0) - MARKER_BASE;
}

/** A checked text as callers see it. */
function written(checked: string): Written {
  const markers: TextMarker[] = [];
  let text = '';
  for (const piece of checked.split(MARKERS)) {
    const position = numberOf(piece);
    const start = text.length;
    text += position > 0 ? `[${position}]` : piece;
    if (position > 0) markers.push({ start, end: text.length, position });
  }
  return { text, markers };
}

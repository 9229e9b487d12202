import type { Citation, LiveAnswer, TextMarker } from '@searchgate/core/provider-kit';
import { samePage } from './addresses.js';
import { claimOf, type Facts, factsOf } from './facts.js';
import type { PageSource } from './gather.js';
import { withoutForeignLinks } from './links.js';
import { SentenceScanner } from './sentence-scanner.js';
import type { Recipe } from './settings.js';

type Claim = ReturnType<typeof claimOf>;

/** A marker of the chat model. */
interface Mark {
  /** In the text without markers: of the whole answer, or of a sentence. */
  readonly at: number;
  /** The number of a source, which need not exist. */
  readonly source: number;
}

interface Sentence {
  readonly text: string;
  readonly marks: readonly Mark[];
  readonly isCode: boolean;
}

interface CheckedTextOptions extends Pick<Recipe, 'check' | 'onUnsupported'> {
  readonly sources: readonly PageSource[];
  /** Receives what was checked. */
  readonly live?: LiveAnswer | undefined;
}

const HAS_WORDS = /[\p{L}\p{N}]/u;
/** A clause with less to look up is judged with its sentence. */
const LEAST_FACTS = 2;

/**
 * Checks the text of a chat model sentence by sentence while it arrives: markers whose source does not hold are taken out, the others renumbered by their first
 * use. Nothing is handed over before the first sentence that holds, so that an answer without any can still go to another model.
 */
export class CheckedText {
  readonly #options: CheckedTextOptions;
  readonly #policy: Recipe['onUnsupported'];
  readonly #scanner = new SentenceScanner();
  readonly #facts: (Facts | undefined)[] = [];
  /** Of the sources, by their pages: for links, which a bracket would end. */
  readonly #addresses: ReadonlyMap<string, string>;
  /** What was not checked yet, without markers. */
  #rest = '';
  readonly #marks: Mark[] = [];
  /** The length of the checked text, without markers. */
  #done = 0;
  /** The positions of the cited sources, by their numbers. */
  readonly #positions = new Map<number, number>();
  /** The text, in pieces: joining it for each sentence would take a time in the square of its length. */
  readonly #pieces: string[] = [];
  #length = 0;
  /** White space behind the text. */
  #space = '';
  /** What was handed over. */
  readonly #given = { pieces: 0, length: 0, markers: 0 };
  readonly markers: TextMarker[] = [];
  readonly citations: Citation[] = [];
  readonly grounding = { sentences: 0, supported: 0, unsupported: 0, removed: 0 };

  constructor(options: CheckedTextOptions) {
    this.#options = options;
    this.#policy = options.check === 'off' ? 'strip' : options.onUnsupported;
    this.#addresses = new Map(
      options.sources.map(({ url }) => [samePage(url), url.replaceAll('(', '%28').replaceAll(')', '%29')]),
    );
  }

  get text(): string {
    return this.#pieces.join('');
  }

  /** Whether a citation was taken out that fails the answer. */
  get isRefused(): boolean {
    return this.#policy === 'fail' && this.grounding.removed > 0;
  }

  /** Adds the next part of the text. */
  push(part: string, markers: readonly TextMarker[] = []): void {
    let from = 0;
    for (const { start, end, position } of markers) {
      this.#rest += part.slice(from, start);
      this.#marks.push({ at: this.#done + this.#rest.length, source: position });
      from = end;
    }
    this.#rest += part.slice(from);
    this.#check(false);
  }

  /** Checks the rest. */
  end(): void {
    this.#check(true);
  }

  #check(isEnd: boolean): void {
    for (;;) {
      const end = this.#scanner.endOf(this.#rest, isEnd);
      if (end === undefined) return;
      this.#write(this.#take(end));
    }
  }

  /** Takes a sentence, with the markers directly behind it. */
  #take(end: number): Sentence {
    const begin = this.#done;
    let to = end;
    let count = 0;
    for (const { at } of this.#marks) {
      const isBehind = at - begin > to && /^[^\S\r\n]*$/.test(this.#rest.slice(to, at - begin));
      if (isBehind) to = at - begin;
      if (at - begin > to) break;
      count += 1;
    }
    const marks = this.#marks.splice(0, count).map(({ at, source }) => ({ at: at - begin, source }));
    const text = this.#rest.slice(0, to);
    this.#rest = this.#rest.slice(to);
    this.#done += to;
    return { text, marks, isCode: this.#scanner.isCode };
  }

  #write(sentence: Sentence): void {
    const { text, marks } = sentence;
    const held = this.#held(sentence);
    const isSentence = HAS_WORDS.test(text) && !sentence.isCode;
    if (isSentence) this.grounding.sentences += 1;
    if (isSentence && marks.length > 0) this.grounding[held.size > 0 ? 'supported' : 'unsupported'] += 1;
    const known = this.citations.length;
    this.#render(sentence, held);
    if (this.citations.length > known && !this.isRefused) this.#options.live?.citations([...this.citations]);
    this.#handOver();
  }

  #handOver(): void {
    const { live, check } = this.#options;
    const { pieces, length, markers } = this.#given;
    const isHeldBack = this.isRefused || (check === 'words' && this.grounding.supported === 0);
    if (live === undefined || isHeldBack || this.#length === length) return;
    const fresh = this.markers.slice(markers).map(({ start, end, position }) => {
      return { start: start - length, end: end - length, position };
    });
    live.text(this.#pieces.slice(pieces).join(''), fresh);
    Object.assign(this.#given, { pieces: this.#pieces.length, length: this.#length, markers: this.markers.length });
  }

  /** The marks of a sentence whose source holds, each with its claim. */
  #held({ text, marks }: Sentence): ReadonlyMap<Mark, Claim> {
    const held = new Map<Mark, Claim>();
    if (marks.length === 0) return held;
    // What an address says is no statement.
    const said = text.replace(/https?:\/\/[^\s<>()[\]]+/gi, (address) => ' '.repeat(address.length));
    const whole = claimOf(said.replace(/^[\s>#*-]*\d{1,3}[.)]\s/, ''), true);
    for (const { claim, ofClause } of clausesOf({ text: said, marks }, whole))
      for (const mark of ofClause) {
        const source = this.#options.sources[mark.source - 1];
        const isHeld =
          source !== undefined && (this.#options.check === 'off' || this.#factsOf(mark.source, source).holds(claim));
        if (isHeld) held.set(mark, claim);
      }
    return held;
  }

  #factsOf(number: number, { title, passages }: PageSource): Facts {
    return (this.#facts[number] ??= factsOf([title, ...passages]));
  }

  /** Writes a sentence, and counts what is taken out of it. */
  #render({ text, marks }: Sentence, held: ReadonlyMap<Mark, Claim>): void {
    let pending = '';
    let from = 0;
    let isMarked = false;
    let run = new Set<number>();
    for (const mark of marks) {
      const between = text.slice(from, mark.at);
      if (between !== '') run = new Set();
      pending += between;
      from = mark.at;
      const claim = held.get(mark);
      if (claim === undefined) {
        this.grounding.removed += 1;
        if (this.#policy === 'mark' && !isMarked) pending += '[?]';
        else if (/^(?:[\s\p{P}]|$)/u.test(text.slice(from, from + 2))) pending = pending.replace(/[^\S\r\n]+$/, '');
        isMarked = true;
        continue;
      }
      const position = this.#positionOf(mark.source, claim);
      if (run.has(position)) continue;
      run.add(position);
      this.#add(pending);
      pending = '';
      this.#add(`[${position}]`, position);
    }
    this.#add(pending + text.slice(from));
  }

  #positionOf(number: number, claim: Claim): number {
    const known = this.#positions.get(number);
    if (known !== undefined) return known;
    const { url = '', title = '', passages = [] } = this.#options.sources[number - 1] ?? {};
    const scored = passages.map((passage) => ({ passage, overlap: factsOf([passage]).overlap(claim) }));
    const [best] = scored.toSorted((a, b) => b.overlap - a.overlap);
    this.citations.push({ url, title: title || null, snippet: best?.passage.replaceAll(/\s+/g, ' ') });
    this.#positions.set(number, this.citations.length);
    return this.citations.length;
  }

  /** Adds a piece to the text. White space waits for what follows, so that none is left at the end. */
  #add(piece: string, position?: number): void {
    const sourceOf = (address: string) => this.#addresses.get(samePage(address));
    const cleared = position === undefined ? withoutForeignLinks(piece, sourceOf) : piece;
    // Behind a bracket, it could make a link of a marker.
    const isTarget = /^(?:\(|:\s*(?:$|\S*[:/\\&]))/.test(cleared) && this.#pieces.at(-1)?.endsWith(']') === true;
    if (isTarget && this.#space === '') this.#space = ' ';
    const written = this.#length === 0 ? cleared.trimStart() : this.#space + cleared;
    const trimmed = written.trimEnd();
    this.#space = written.slice(trimmed.length);
    if (trimmed === '') return;
    this.#pieces.push(trimmed);
    this.#length += trimmed.length;
    const end = this.#length;
    if (position !== undefined) this.markers.push({ start: end - piece.length, end, position });
  }
}

interface Clause {
  readonly claim: Claim;
  readonly ofClause: readonly Mark[];
}

/** What each group of markers cites: the words since the group before; for the last one also those behind it. */
function clausesOf({ text, marks }: Pick<Sentence, 'text' | 'marks'>, whole: Claim): readonly Clause[] {
  const groups: Mark[][] = [];
  let last = 0;
  for (const mark of marks) {
    const group = groups.at(-1);
    if (group === undefined || HAS_WORDS.test(text.slice(last, mark.at))) groups.push([mark]);
    else group.push(mark);
    last = mark.at;
  }
  if (groups.length === 1) return [{ claim: whole, ofClause: marks }];
  return groups.map((ofClause, index) => {
    const from = groups[index - 1]?.at(-1)?.at ?? 0;
    const to = index === groups.length - 1 ? text.length : ofClause[0]?.at;
    const claim = claimOf(text.slice(from, to), index === 0);
    const { numbers, dates, names, content } = claim;
    const facts = numbers.length + dates.length + names.length + content.size;
    return { claim: facts < LEAST_FACTS ? whole : claim, ofClause };
  });
}

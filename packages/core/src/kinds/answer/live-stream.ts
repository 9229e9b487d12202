import { GatheredText } from '../../base/gathered-pieces.js';
import { WellFormedParts } from '../../base/options/characters.js';
import type { CallableModel } from '../../catalog/catalog.js';
import { AddressFilter } from '../../text/address-filter.js';
import type { Citation } from '../../text/citation.js';
import { hasWords } from '../../text/has-words.js';
import { MAX_MARKER_NUMBER } from '../../text/marker-forms.js';
import { type MarkedText, MarkerWriter, type TextMarker, withMarkers, writeAgain } from '../../text/marker-writer.js';
import { checkedMarkers, markersOf, OwnMarkers, ownMarkers } from '../../text/own-markers.js';
import { MAX_ANSWER_LENGTH, MAX_CITATIONS } from '../../text/reply-limits.js';
import type { AttemptStream, CallStream, KindBody, StreamOptions } from '../kind-call.js';
import type { AnswerCitation, AnswerHead, AnswerListener } from './answer-listener.js';
import {
  answerBody,
  type DeliveredAnswer,
  isWebPage,
  type Limits,
  presentCitation,
  presentOutcome,
  readableCitation,
} from './present-outcome.js';

export interface LiveStreamOptions extends Limits, Pick<StreamOptions, 'id' | 'onMismatch'> {
  readonly includeCitations: boolean;
}

/** The stream of one answer. */
export class LiveStream implements CallStream<DeliveredAnswer> {
  readonly #listener: AnswerListener;
  readonly #options: LiveStreamOptions;
  readonly #delivered = new GatheredText();
  /** The markers of the delivered text. */
  readonly #markers: TextMarker[] = [];
  #length = 0;
  #announced: readonly AnswerCitation[] = [];
  #hasStarted = false;

  constructor(listener: AnswerListener, options: LiveStreamOptions) {
    this.#listener = listener;
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  open(served: CallableModel, mayDeliver?: () => boolean): LiveAttempt {
    const { id, includeCitations } = this.#options;
    const head = { id, model: served.model.slug, provider: served.provider };
    return new LiveAttempt(this.#options, (citations, part) => {
      if (mayDeliver?.() === false) return;
      if (!this.#hasStarted) this.#start(head);
      if (includeCitations) this.#announce(citations, false);
      this.#deliver(part);
    });
  }

  finish(value: DeliveredAnswer, served: Omit<AnswerHead, 'id'>): KindBody {
    const { id, onMismatch } = this.#options;
    const presented = presentOutcome(value, this.#options.includeCitations, this.#options);
    const { answer, citations, markers } = presented;
    if (!this.#hasStarted) this.#start({ id, ...served });
    if (citations !== null) this.#announce(citations, true);
    const known = markersOf({ text: answer, markers, citations: citations ?? [] });
    const rest = restOf({ text: answer, markers: known }, { text: this.#delivered.take(), markers: this.#markers });
    if (rest === undefined) onMismatch(served.model);
    else if (rest !== '') this.#deliver({ text: rest, markers: [] });
    return answerBody(presented);
  }

  #start(head: AnswerHead): void {
    this.#hasStarted = true;
    this.#listener.start(head);
  }

  /**
   * Sends the whole list, so a long list only after it has grown by a quarter: the sent bytes stay linear in the size of the list. An announced citation
   * does not change, even if a later mention of its source has the title.
   */
  #announce(citations: readonly AnswerCitation[], isLast: boolean): void {
    const { length } = this.#announced;
    const growth = isLast || length < FEW ? 1 : length / 4;
    if (citations.length < length + growth) return;
    this.#announced = [...this.#announced, ...citations.slice(length)];
    this.#listener.citations(this.#announced);
  }

  #deliver({ text, markers }: MarkedText): void {
    for (const { start, end, position } of markers)
      this.#markers.push({ start: start + this.#length, end: end + this.#length, position });
    this.#length += text.length;
    this.#delivered.add(text);
    this.#listener.delta(text);
  }
}

const FEW = 64;

/**
 * The text after the delivered part. If markers are missing in the delivered part, because sources came after the text, the rest has no markers either.
 * `undefined` when the delivered part is not the beginning of the answer.
 */
function restOf(answer: MarkedText, delivered: MarkedText): string | undefined {
  if (answer.text.startsWith(delivered.text)) return answer.text.slice(delivered.text.length);
  const numbersIn = ({ text }: MarkedText) => ({ text, markers: ownMarkers(text, MAX_MARKER_NUMBER, true) });
  // When sources came late, numbers may mean other sources than they seemed to, or no source.
  return restWithout(answer, delivered) ?? restWithout(numbersIn(answer), numbersIn(delivered));
}

function restWithout(answer: MarkedText, delivered: MarkedText): string | undefined {
  const plain = withMarkers(answer, none).text;
  const space = delivered.text.slice(delivered.text.trimEnd().length);
  const plainDelivered = withMarkers(delivered, none).text + space;
  return plain.startsWith(plainDelivered) ? plain.slice(plainDelivered.length) : undefined;
}

function none(): number {
  return 0;
}

/** Most characters that may wait for citations. Above it, nothing more is delivered before the end of the answer. */
const MAX_WAITING = 100_000;
const MAX_UNSEEN = 1_000;
/** An entity, a tag or a bracket, also in bold, that may turn out to show nothing. */
const UNFINISHED = /(?:&\w*|&#\w*|<[^<>]*|[*_~]*\[[^[\]]*\]?[*_~]*|[*_~]+|\\)$/;

/** Turns the parts of an adapter into parts for the caller. Ignores parts that come after the attempt has ended. */
export class LiveAttempt implements AttemptStream {
  readonly #includeCitations: boolean;
  readonly #scope: Limits['scope'];
  /** Replaces addresses outside of the caller's rules; `undefined` without rules. */
  readonly #filter: AddressFilter | undefined;
  readonly #deliver: (citations: readonly AnswerCitation[], part: MarkedText) => void;
  readonly #wellFormed = new WellFormedParts();
  /** Finds markers in the text when the adapter does not report their positions. */
  #ownMarkers: OwnMarkers | undefined;
  readonly #presented: AnswerCitation[] = [];
  /** The number of each citation among the presented citations; 0 for a citation that is not presented. */
  readonly #places: number[] = [];
  /** Rewrites the text when markers are removed or renumbered. */
  #writer: MarkerWriter | undefined;
  #last = '';
  /** White space that may be the end of the text, and is held back. */
  #space = '';
  /** Parts that wait for the citation of their first marker. */
  #waiting: MarkedText[] = [];
  #waitingLength = 0;
  /** True once more than `MAX_WAITING` characters had to wait. */
  #isStuck = false;
  #length = 0;
  /** The beginning of the text, while readers see nothing of it. */
  #unseen: MarkedText = { text: '', markers: [] };
  #isShown = false;
  #hasEnded = false;

  constructor(
    { includeCitations, scope }: Pick<LiveStreamOptions, 'includeCitations' | 'scope'>,
    deliver: (citations: readonly AnswerCitation[], part: MarkedText) => void,
  ) {
    this.#includeCitations = includeCitations;
    this.#scope = scope;
    this.#filter = scope?.rules && new AddressFilter(scope.rules.allows);
    this.#deliver = deliver;
  }

  citations(citations: readonly Citation[]): void {
    if (this.#hasEnded || citations.length <= this.#places.length) return;
    for (const citation of citations.slice(this.#places.length, MAX_CITATIONS)) {
      const readable = readableCitation(citation);
      const isPresented = isWebPage(readable) && this.#scope?.shows(readable.url) !== false;
      if (isPresented) this.#presented.push(presentCitation(readable, this.#scope));
      this.#places.push(this.#includeCitations && isPresented ? this.#presented.length : 0);
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    for (const part of waiting) this.#present(part);
  }

  text(part: string, markers?: readonly TextMarker[]): void {
    this.#length += part.length;
    // An answer that is too long is refused at its end.
    if (this.#hasEnded || this.#isStuck || this.#length > MAX_ANSWER_LENGTH) return;
    const shift = this.#wellFormed.held;
    const text = this.#wellFormed.push(part);
    const known = markers && checkedMarkers({ text: part, markers }, MAX_MARKER_NUMBER);
    const shifted = shift === 0 ? known : known?.map((each) => moved(each, shift));
    if (shifted === undefined) this.#ownMarkers ??= new OwnMarkers(false);
    if (this.#ownMarkers !== undefined) this.#present(this.#ownMarkers.push(text));
    else if (shifted !== undefined) this.#present({ text, markers: shifted });
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Text from a marker on waits until the marker's citation is known, unless no citation could change the marker. */
  #present(part: MarkedText): void {
    const known = this.#places.length;
    const stays = this.#includeCitations && this.#scope === undefined && this.#presented.length === known;
    const open = stays ? undefined : part.markers.find(({ position }) => position > known);
    if (this.#waitingLength > 0 || open !== undefined) {
      const at = this.#waitingLength > 0 ? 0 : (open?.start ?? 0);
      if (at > 0)
        this.#write({ text: part.text.slice(0, at), markers: part.markers.filter(({ start }) => start < at) });
      this.#wait(part, at);
    } else this.#write(part);
  }

  /** An answer of which readers see nothing must not begin. The end of a long text of signs is not waited for. */
  #untilShown({ text, markers }: MarkedText): MarkedText {
    const { length } = this.#unseen.text;
    const moving = markers.map((each) => moved(each, length));
    const whole = { text: this.#unseen.text + text, markers: [...this.#unseen.markers, ...moving] };
    this.#unseen = whole;
    this.#isShown = whole.text.length > MAX_UNSEEN || hasWords(whole.text.replace(UNFINISHED, ''));
    return whole;
  }

  #wait({ text, markers }: MarkedText, from: number): void {
    this.#waitingLength += text.length - from;
    if (this.#waitingLength > MAX_WAITING) {
      this.#isStuck = true;
      this.#waiting = [];
    } else {
      const rest = markers.filter(({ start }) => start >= from).map((each) => moved(each, -from));
      this.#waiting.push({ text: text.slice(from), markers: rest });
    }
  }

  /** Removes white space at both ends of the answer. */
  #withoutEnds({ text, markers }: MarkedText): MarkedText {
    const whole = this.#space + text;
    const begun = this.#last === '' ? whole.trimStart() : whole;
    const written = begun.trimEnd();
    const shift = begun.length - text.length;
    this.#space = begun.slice(written.length);
    return { text: written, markers: shift === 0 ? markers : markers.map((each) => moved(each, shift)) };
  }

  #write(part: MarkedText): void {
    const isChanged = this.#presented.length < this.#places.length || !this.#includeCitations;
    if (isChanged && this.#writer === undefined) {
      this.#writer = new MarkerWriter(this.#last);
      this.#writer.text(this.#space);
    }
    let written: MarkedText;
    if (this.#writer === undefined) written = this.#withoutEnds(part);
    else {
      writeAgain(this.#writer, part, (position) => this.#places[position - 1] ?? 0);
      written = this.#writer.take();
    }
    if (written.text === '' || this.#hasEnded) return;
    this.#last = written.text.slice(-1);
    // At the end, markers are found anew.
    if (this.#filter !== undefined) written = { text: this.#filter.push(written.text), markers: [] };
    if (written.text === '') return;
    if (!this.#isShown) written = this.#untilShown(written);
    if (!this.#isShown) return;
    this.#deliver(this.#presented, written);
  }
}

function moved({ start, end, position }: TextMarker, by: number): TextMarker {
  return { start: start + by, end: end + by, position };
}

import type { RunnableModel } from '../catalog/catalog.js';
import { WellFormedParts } from '../options/well-formed.js';
import type { LiveAnswer } from '../provider-kit/provider.js';
import type { Citation } from '../text/citation.js';
import { JoinedText } from '../text/joined-text.js';
import { createLiveText, type LiveText } from '../text/live-text.js';
import { renumberMarkers, stripMarkers } from '../text/markers.js';
import { MAX_ANSWER_LENGTH, MAX_CITATIONS } from '../text/reply-limits.js';
import type { AnswerCitation, AnswerHead, AnswerListener } from './answer.js';
import {
  isWebPage,
  type PresentedOutcome,
  presentCitation,
  readableCitation,
  webPositions,
} from './present-outcome.js';

export interface LiveStreamOptions {
  /** Of the answer. */
  readonly id: string;
  readonly includeCitations: boolean;
  /** Told when what was streamed is not the beginning of the answer: a bug of the adapter. */
  onMismatch(model: string): void;
}

/** One answer while it comes: the attempts write into it, one after another, until one of them has begun to be delivered. */
export class LiveStream {
  readonly #listener: AnswerListener;
  readonly #options: LiveStreamOptions;
  readonly #delivered = new JoinedText();
  #announced: readonly AnswerCitation[] = [];
  #hasStarted = false;

  constructor(listener: AnswerListener, options: LiveStreamOptions) {
    this.#listener = listener;
    this.#options = options;
  }

  /** From then on the answer is this attempt's: no other one can be begun. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** What one attempt writes into. @param mayDeliver asked before each part. */
  open(served: RunnableModel, mayDeliver: () => boolean = always): LiveAttempt {
    const { id, includeCitations } = this.#options;
    const head = { id, model: served.model.slug, provider: served.provider };
    return new LiveAttempt(includeCitations, (citations, part) => {
      if (!mayDeliver()) return;
      this.#start(head);
      this.#announce(citations, false);
      this.#deliver(part);
    });
  }

  /** Delivers what has not come yet of a whole answer. */
  finish({ answer, citations }: PresentedOutcome, head: Omit<AnswerHead, 'id'>): void {
    this.#start({ id: this.#options.id, ...head });
    if (citations !== null) this.#announce(citations, true);
    const rest = restOf(answer, this.#delivered.toString(), citations?.length ?? 0);
    if (rest === undefined) this.#options.onMismatch(head.model);
    else if (rest !== '') this.#deliver(rest);
  }

  #start(head: AnswerHead): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#listener.start(head);
  }

  /**
   * The whole list each time, so a long one only when it has grown by a quarter: what is sent stays linear in what has come. What was announced stays,
   * also where a later mention of a source has its title.
   */
  #announce(citations: readonly AnswerCitation[], isLast: boolean): void {
    const { length } = this.#announced;
    const growth = isLast || length < FEW ? 1 : length / 4;
    if (citations.length < length + growth) return;
    this.#announced = [...this.#announced, ...citations.slice(length)];
    this.#listener.citations(this.#announced);
  }

  #deliver(part: string): void {
    this.#delivered.add(part);
    this.#listener.delta(part);
  }
}

const FEW = 64;

function always(): boolean {
  return true;
}

/**
 * What follows the delivered part. Of that some markers may be missing, where sources came after the text: then the rest comes without any.
 * `undefined` where it is no beginning of the answer even so.
 */
function restOf(answer: string, delivered: string, citations: number): string | undefined {
  if (answer.startsWith(delivered)) return answer.slice(delivered.length);
  // Nothing that was delivered begins with white space.
  const plain = stripMarkers(answer, citations).trimStart();
  const plainDelivered = stripMarkers(delivered, citations);
  return plain.startsWith(plainDelivered) ? plain.slice(plainDelivered.length) : undefined;
}

/** Takes what an adapter hands over and presents it as callers see it. An attempt that has ended is not listened to any more. */
export class LiveAttempt implements LiveAnswer {
  readonly #includeCitations: boolean;
  readonly #deliver: (citations: readonly AnswerCitation[], part: string) => void;
  readonly #text: LiveText;
  readonly #wellFormed = new WellFormedParts();
  readonly #presented: AnswerCitation[] = [];
  #citations: readonly Citation[] = [];
  #length = 0;
  #hasEnded = false;

  constructor(includeCitations: boolean, deliver: LiveAttempt['deliver']) {
    this.#includeCitations = includeCitations;
    this.#deliver = deliver;
    this.#text = createLiveText(
      (text) => this.#present(text),
      (part) => this.deliver(this.#presented, part),
    );
  }

  citations(citations: readonly Citation[]): void {
    if (this.#hasEnded || citations.length <= this.#citations.length) return;
    const known = this.#citations.length;
    this.#citations = citations.slice(0, MAX_CITATIONS).map(readableCitation);
    if (!this.#includeCitations) return;
    for (const citation of this.#citations.slice(known))
      if (isWebPage(citation)) this.#presented.push(presentCitation(citation));
  }

  text(part: string): void {
    this.#length += part.length;
    // An answer that is too long is refused when it is whole.
    if (!this.#hasEnded && this.#length <= MAX_ANSWER_LENGTH) this.#text.push(this.#wellFormed.push(part));
  }

  end(): void {
    this.#hasEnded = true;
  }

  deliver(citations: readonly AnswerCitation[], part: string): void {
    if (!this.#hasEnded) this.#deliver(citations, part);
  }

  #present(text: string): string {
    const { length } = this.#citations;
    if (!this.#includeCitations) return stripMarkers(text, length);
    return this.#presented.length === length ? text : renumberMarkers(text, webPositions(this.#citations));
  }
}

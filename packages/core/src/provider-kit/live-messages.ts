/** Takes the text of the messages that make an answer, in order. */
export interface MessageWriter {
  /** Further text of the part that is being written. */
  text(text: string): void;
  /** Further annotations of that part, as the provider gives them. */
  annotations(annotations: readonly unknown[]): void;
  /** Nothing more of that part will come. */
  endPart(): void;
  /** Another message follows. */
  nextMessage(): void;
}

interface Step {
  readonly part: number;
  readonly text?: string | undefined;
  readonly annotations?: readonly unknown[] | undefined;
  readonly isEnd?: boolean | undefined;
}

interface Message {
  phase: unknown;
  isDone: boolean;
  /** Whether some of its text has come: one without any is no part of the answer. */
  isWritten: boolean;
  /** Whether some of it has been handed over. */
  hasText: boolean;
  /** The part that is being written. */
  part: number;
  /** What has not been handed over yet. */
  steps: Step[];
}

/**
 * Hands over the messages of a Responses stream as `textPartsOf` puts them together: in order, and without those that only comment on the way to a final answer.
 * A comment, and what follows it, waits until a final answer shows that it is one. So does all text that comes before a completed
 * search, since an answer without one is refused.
 */
export class LiveMessages {
  readonly #writer: MessageWriter;
  readonly #messages = new Map<number, Message>();
  /** In order of their places; those in front of `#head` are over. */
  readonly #queue: Message[] = [];
  #head = 0;
  #last = -1;
  #hasText = false;
  #hasSearched = false;
  #isFinal = false;
  /** Set when the whole reply will have another order than the stream: nothing more is handed over. */
  #isStuck = false;

  constructor(writer: MessageWriter) {
    this.#writer = writer;
  }

  searched(): void {
    if (this.#hasSearched) return;
    this.#hasSearched = true;
    this.#drain();
  }

  /** A message at this place of the reply begins, or tells its phase. */
  begin(place: number, phase: unknown): void {
    const message = this.#messageAt(place);
    message.phase = phase ?? message.phase;
    if (message.phase === 'final_answer') this.#isFinal = true;
    // Its text was shown before it said what it is.
    if (message.phase === 'commentary' && message.hasText) this.#isStuck = true;
    this.#drain();
  }

  step(place: number, step: Step): void {
    const message = this.#messageAt(place);
    if (message.isDone) return;
    message.steps.push(step);
    message.isWritten ||= (step.text ?? '') !== '';
    if (message === this.#queue[this.#head]) this.#drain();
  }

  end(place: number): void {
    this.#messageAt(place).isDone = true;
    this.#drain();
  }

  #messageAt(place: number): Message {
    let message = this.#messages.get(place);
    if (message === undefined) {
      if (place < this.#last) this.#isStuck = true;
      this.#last = place;
      message = { phase: null, isDone: false, isWritten: false, hasText: false, part: 0, steps: [] };
      this.#messages.set(place, message);
      this.#queue.push(message);
    }
    return message;
  }

  #drain(): void {
    if (!this.#hasSearched) return;
    for (let message = this.#queue[this.#head]; message !== undefined; message = this.#queue[this.#head]) {
      if (this.#isStuck || (message.phase === 'commentary' && !this.#isFinal)) return;
      if (message.phase !== 'commentary') {
        if (message.isWritten) for (const step of message.steps.splice(0)) this.#write(message, step);
        if (!message.isDone) return;
        if (message.hasText) this.#writer.endPart();
      }
      Object.assign(message, { isDone: true, steps: [] });
      this.#head += 1;
    }
  }

  #write(message: Message, { part, text = '', annotations = [], isEnd = false }: Step): void {
    if (part < message.part) this.#isStuck = true;
    if (this.#isStuck) return;
    if (part > message.part && message.hasText) this.#writer.endPart();
    message.part = part;
    if (text !== '' && !message.hasText && this.#hasText) this.#writer.nextMessage();
    if (text !== '') {
      this.#hasText = true;
      message.hasText = true;
      this.#writer.text(text);
    }
    if (annotations.length > 0) this.#writer.annotations(annotations);
    if (isEnd) this.#writer.endPart();
  }
}

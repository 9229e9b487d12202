/** Receives the text of an answer's messages, in order. */
export interface MessageWriter {
  /** Further text of the current part. */
  text(text: string): void;
  /** Further annotations of the current part, as the provider sends them. */
  annotations(annotations: readonly unknown[]): void;
  /** Ends the current part. */
  endPart(): void;
  /** Begins another message. */
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
  /** Whether text has come. A message without text is no part of the answer. */
  isWritten: boolean;
  /** Whether text has been handed over. */
  hasText: boolean;
  /** The index of the current part. */
  part: number;
  /** Steps that have not been handed over yet. */
  steps: Step[];
}

/**
 * Hands over the messages of a Responses stream as `textPartsOf` joins them: in order, and without comments that precede a final answer.
 * A comment, and the text after it, waits until a final answer comes. All text waits for the first completed search, because an answer
 * without a search is refused.
 */
export class LiveMessages {
  readonly #writer: MessageWriter;
  readonly #messages = new Map<number, Message>();
  /** In order of their places in the reply. Messages before `#head` are finished. */
  readonly #queue: Message[] = [];
  #head = 0;
  #last = -1;
  #hasText = false;
  #hasSearched = false;
  #isFinal = false;
  /** True when the whole reply will have another order than the stream: nothing more is handed over. */
  #isStuck = false;

  constructor(writer: MessageWriter) {
    this.#writer = writer;
  }

  searched(): void {
    if (this.#hasSearched) return;
    this.#hasSearched = true;
    this.#drain();
  }

  /** Begins the message at a place of the reply, or sets its phase. */
  begin(place: number, phase: unknown): void {
    const message = this.#messageAt(place);
    message.phase = phase ?? message.phase;
    if (message.phase === 'final_answer') this.#isFinal = true;
    // Its text was handed over before the phase was known.
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

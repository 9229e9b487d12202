import type { StreamEnd } from './completeness.js';
import { finishOfWord } from './finish-words.js';
import type { JsonObject } from './reply-fields.js';

interface Chunk {
  /** Text of the answer. */
  readonly text: string;
  readonly delta: JsonObject;
  /** Whether another mark than a `finish_reason` shows that the chunk is the vendor's last one. */
  readonly isLast: boolean;
}

/** Finds out, chunk by chunk, how the choice of a streamed chat completion ends. */
export class ChatEnding {
  #reason: unknown = null;
  #native: unknown = null;
  /** Whether content came after a finish reason. Such a vendor sends reasons before the end too, some in every chunk. */
  #goesOn = false;

  push(choice: JsonObject, { text, delta, isLast }: Chunk): void {
    const reason = choice['finish_reason'] || (isLast ? 'stop' : null);
    if (this.#reason !== null && isComplete(this.#reason) && hasContent(text, delta)) this.#goesOn = true;
    // After a reason that broke the answer off, only further text can lead to another end.
    const isBroken = this.#reason !== null && !isComplete(this.#reason);
    if (text !== '') this.#reason = reason;
    else if (!isBroken) this.#reason = reason ?? this.#reason;
    // The native reason may come alone, after the reason of the choice.
    this.#native = choice['native_finish_reason'] ?? this.#native;
  }

  /** Proof is a reason with or after the last text. A vendor that sends reasons before the end must send `[DONE]` too. */
  isProof(end: StreamEnd): boolean {
    return this.#reason !== null && (end === 'done' || !this.#goesOn);
  }

  /** The fields as in a whole reply. */
  get fields(): JsonObject {
    return {
      finish_reason: this.#reason,
      ...(this.#native === null ? {} : { native_finish_reason: this.#native }),
    };
  }
}

function isComplete(reason: unknown): boolean {
  return typeof reason === 'string' && finishOfWord(reason) === 'complete';
}

/** Whether a delta has content. Thoughts are content as well. */
export function hasContent(text: string, { content, reasoning_content, reasoning }: JsonObject): boolean {
  return text !== '' || [content, reasoning_content, reasoning].some((each) => typeof each === 'string' && each !== '');
}

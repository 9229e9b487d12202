import type { StreamEnd } from './evidence.js';
import { finishOfWord } from './finish-words.js';
import type { JsonObject } from './json-values.js';

interface Chunk {
  /** Of the answer. */
  readonly text: string;
  readonly delta: JsonObject;
  /** Whether it is the vendor's last one by something else than a `finish_reason`, which it may lack. */
  readonly isLast: boolean;
}

/** How the choice of a streamed chat completion ends, by the chunks that have come. */
export class ChatEnding {
  #reason: unknown = null;
  #native: unknown = null;
  /** Whether the vendor has gone on behind an end: then it says so on the way too, as some do in every chunk. */
  #goesOn = false;

  push(choice: JsonObject, { text, delta, isLast }: Chunk): void {
    const reason = choice['finish_reason'] || (isLast ? 'stop' : null);
    if (this.#reason !== null && isComplete(this.#reason) && hasContent(text, delta)) this.#goesOn = true;
    // Behind what broke the answer off, only more of it can make an end of it.
    const isBroken = this.#reason !== null && !isComplete(this.#reason);
    if (text !== '') this.#reason = reason;
    else if (!isBroken) this.#reason = reason ?? this.#reason;
    // May come alone, behind the reason of the choice.
    this.#native = choice['native_finish_reason'] ?? this.#native;
  }

  /** A reason with the last text or behind it; `[DONE]` where reasons come on the way too. */
  isProof(end: StreamEnd): boolean {
    return this.#reason !== null && (end === 'done' || !this.#goesOn);
  }

  /** As a whole reply has them. */
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

/** Thoughts are content as well. */
function hasContent(text: string, { content, reasoning_content, reasoning }: JsonObject): boolean {
  return text !== '' || [content, reasoning_content, reasoning].some((each) => typeof each === 'string' && each !== '');
}

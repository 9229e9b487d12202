import { gatheredText } from './gathered-text.js';
import { clientError } from './searchgate-error.js';

/** The longest reply, or event of a stream, that is read. Twice the gateway's default limit for a provider's reply. */
export const MAX_CHARACTERS = 16 * 1024 * 1024;

/** The same of embeddings: 2,048 vectors of 4,096 numbers, each of about 20 characters. */
export const MAX_VECTOR_CHARACTERS = 192 * 1024 * 1024;

/** How long to wait for the end of a body after its last useful byte. */
const LINGER_MS = 1_000;

/** The text of a reply while it arrives. */
export interface ReplyText {
  /** The next piece; `undefined` at the end. @throws SearchgateError `connection_failed` */
  next(): Promise<string | undefined>;
  /**
   * Must be called when reading stops.
   *
   * @param isWhole whether the body is complete but for its end: waiting briefly for the end lets the connection be reused.
   */
  close(isWhole: boolean): void;
}

export function replyText({ body, status }: Response): ReplyText {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  const cancel = () => void reader?.cancel().catch(() => undefined);
  return {
    async next() {
      try {
        const piece = await reader?.read();
        return piece?.value && decoder.decode(piece.value, { stream: true });
      } catch (cause) {
        throw clientError('connection_failed', { status, retryable: true, cause });
      }
    },
    close(isWhole) {
      if (!isWhole) {
        cancel();
        return;
      }
      const timer = setTimeout(cancel, LINGER_MS);
      void reader
        ?.read()
        .catch(() => undefined)
        .then(() => {
          clearTimeout(timer);
          cancel();
        });
    },
  };
}

/** The JSON of a reply; `undefined` for a reply that is not JSON, or too long. @throws SearchgateError `connection_failed` */
export async function replyJson(response: Response, maxCharacters = MAX_CHARACTERS): Promise<unknown> {
  const isJson = /json/i.test(response.headers.get('content-type') ?? '');
  const reply = replyText(response);
  try {
    const text = gatheredText();
    let characters = 0;
    while (isJson && characters <= maxCharacters) {
      const piece = await reply.next();
      if (piece === undefined) return parseJson(text.take());
      characters += piece.length;
      text.add(piece);
    }
    return undefined;
  } finally {
    reply.close(false);
  }
}

/** `undefined` for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

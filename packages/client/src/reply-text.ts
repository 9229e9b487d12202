import { gatheredText } from './gathered-text.js';
import { clientError } from './searchgate-error.js';

/** The most of a reply, or of one event of a stream, that is read. Twice what a gateway reads from a provider by default. */
export const MAX_CHARACTERS = 16 * 1024 * 1024;

/** How long a connection stays open for the end of a body of which all is known. */
const LINGER_MS = 1_000;

/** The text of a reply while it arrives. */
export interface ReplyText {
  /** The next piece; `undefined` at the end. @throws SearchgateError `connection_failed` */
  next(): Promise<string | undefined>;
  /**
   * Has to be called when no more is read.
   *
   * @param isWhole whether only the end of the body can follow: then it is waited for a moment, so that the connection can be used again.
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

/** The value a reply has as JSON; `undefined` where it is none, or too long. @throws SearchgateError `connection_failed` */
export async function replyJson(response: Response): Promise<unknown> {
  const isJson = /json/i.test(response.headers.get('content-type') ?? '');
  const reply = replyText(response);
  try {
    const text = gatheredText();
    let characters = 0;
    while (isJson && characters <= MAX_CHARACTERS) {
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

/** `undefined` where a text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

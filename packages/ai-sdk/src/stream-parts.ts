import type { LanguageModelV4StreamPart, SharedV4Warning } from '@ai-sdk/provider';
import { type EventSourceMessage, isAbortError } from '@ai-sdk/provider-utils';
import { type StreamedCall, StreamReader } from './stream-reader.js';

type Part = LanguageModelV4StreamPart;

export interface StreamPartsOptions {
  readonly events: ReadableStream<EventSourceMessage>;
  readonly call: StreamedCall;
  readonly warnings: SharedV4Warning[];
  /** Gives each event as a part of its own too. */
  readonly includeRawChunks: boolean;
  /** Is called with the error of an `error` part, before it is given. */
  readonly onError: (error: unknown) => void;
}

/**
 * The stream parts of a streamed answer. Whatever breaks it is an `error` part and not an error of the stream, so that what was given before
 * reaches the application; only an abort ends the stream itself.
 */
export function streamParts(options: StreamPartsOptions): ReadableStream<Part> {
  const { events, call, warnings, includeRawChunks, onError } = options;
  const source = events.getReader();
  const reader = new StreamReader(call);

  async function next(): Promise<Part[]> {
    try {
      const { done, value } = await source.read();
      if (done) return reader.cut();
      const raw: Part[] = includeRawChunks ? [{ type: 'raw', rawValue: value }] : [];
      return [...raw, ...(await reader.read(value))];
    } catch (error) {
      if (isAbortError(error)) throw error;
      return reader.cut(error);
    }
  }

  return new ReadableStream<Part>({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings });
    },
    async pull(controller) {
      // An event may have no parts, and a stream that is given none is not pulled again.
      let parts: Part[] = [];
      while (parts.length === 0) parts = await next();
      for (const part of parts) {
        if (part.type === 'error') onError(part.error);
        controller.enqueue(part);
      }
      if (!reader.hasEnded) return;
      controller.close();
      await source.cancel().catch(() => undefined);
    },
    cancel: (reason) => source.cancel(reason),
  });
}

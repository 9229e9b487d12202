/** The body of a response while it arrives. */
export interface ArrivingBody {
  push(chunk: Uint8Array): void;
  /** The bytes so far. */
  bytes(): Uint8Array;
  /** Resolves when the bytes so far contain this text. */
  received(text: string): Promise<void>;
}

export function arrivingBody(): ArrivingBody {
  const chunks: Uint8Array[] = [];
  const waiting = new Map<() => void, string>();
  const bytes = () => Buffer.concat(chunks);

  return {
    push(chunk) {
      chunks.push(chunk);
      for (const [resolve, text] of waiting) if (bytes().includes(text)) resolve();
    },
    bytes,
    received: (text) =>
      new Promise((resolve) => {
        if (bytes().includes(text)) resolve();
        else waiting.set(resolve, text);
      }),
  };
}

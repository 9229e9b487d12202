/** Far longer than a gateway's longest answer. */
const MAX_BYTES = 16 * 1_024 * 1_024;

/** Reads the text of a response. @throws Error for more than `maxBytes`. */
export async function readText({ body }: Response, maxBytes: number = MAX_BYTES): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let byteLength = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    byteLength += chunk.byteLength;
    if (byteLength > maxBytes) throw new Error(`a response of more than ${maxBytes} bytes`);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

/** Reads a secret from standard input, without the line end after it. */
export async function readSecret(stdin: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  // A chunk may end inside a character: join the bytes before decoding.
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
}

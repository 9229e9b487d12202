import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { AdminContext } from './admin/runner.js';

/** Reads a secret from standard input, without the line end after it. */
export async function readSecret(stdin: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  // A chunk may end inside a character: join the bytes before decoding.
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
}

/** Asks at a terminal, which does not show the answer. @returns an empty text after an interruption. */
export async function askSecret(
  question: string,
  { stdin, err }: Pick<AdminContext, 'stdin' | 'err'>,
): Promise<string> {
  err(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin as NodeJS.ReadableStream, output, terminal: true, historySize: 0 });
  for await (const line of lines) {
    err('\n');
    return line;
  }
  return '';
}

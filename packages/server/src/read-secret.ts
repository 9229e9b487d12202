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

/** Asks at a terminal, which shows nothing of the answers. @returns an answer to each question; empty after an interruption. */
export async function askSecrets(
  questions: readonly string[],
  { stdin, err }: Pick<AdminContext, 'stdin' | 'err'>,
): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const input = stdin as NodeJS.ReadableStream;
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  const answers = lines[Symbol.asyncIterator]();
  const given: string[] = [];
  for (const question of questions) {
    err(`${question}: `);
    const { value } = (await answers.next()) as IteratorResult<string, undefined>;
    err('\n');
    given.push(value ?? '');
  }
  lines.close();
  return given;
}

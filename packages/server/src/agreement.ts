import type { AdminContext } from './admin/runner.js';

/** The streams of a question. */
export type Asker = Pick<AdminContext, 'stdin' | 'err'>;

/** Asks at a terminal. @returns `undefined` where there is no terminal; false also after an interruption. */
export async function isAgreed(question: string, { stdin, err }: Asker): Promise<boolean | undefined> {
  if (stdin.isTTY !== true) return undefined;
  err(`${question} [y/N] `);
  try {
    for await (const chunk of stdin) return /^y(?:es)?$/i.test(String(chunk).trim());
  } catch {
    // Interrupted before an answer.
  }
  return false;
}

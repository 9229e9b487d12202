import { FAILURE, type Script } from '../lua/opening.js';
import { isReply, type Reply, replyOf } from './replies.js';

/** One operation, as a script of many is given it: its token, how many values it has, and those. */
export type Submit = (script: Script, token: string, values: readonly string[]) => Promise<Reply>;

/** How many operations one script does: less than a millisecond in which Redis serves no one else. */
const MOST_OPERATIONS = 32;

interface Waiting {
  readonly words: readonly string[];
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/**
 * Sends what is asked for in one turn of the event loop as one script. Nothing waits for the reply of another one, so a lone operation goes at the end of its own
 * turn.
 *
 * @param evaluate runs a script that does many operations, and gives its reply.
 */
export function createBatcher(evaluate: (script: Script, words: readonly string[]) => Promise<unknown>): Submit {
  const waitingFor = new Map<Script, Waiting[]>();

  function send(script: Script): void {
    const operations = waitingFor.get(script) ?? [];
    waitingFor.set(script, []);
    for (let from = 0; from < operations.length; from += MOST_OPERATIONS) {
      void answerAll(operations.slice(from, from + MOST_OPERATIONS), (words) => evaluate(script, words));
    }
  }

  return (script, token, values) =>
    new Promise((resolve, reject) => {
      const waiting = waitingFor.get(script) ?? [];
      waitingFor.set(script, waiting);
      waiting.push({ words: [token, `${values.length}`, ...values], resolve, reject });
      // Behind everything that has arrived by now, on every connection of the process.
      if (waiting.length === 1) setImmediate(send, script);
    });
}

/** Never rejects: every operation gets its own reply, or the error of all. */
async function answerAll(
  operations: readonly Waiting[],
  evaluate: (words: readonly string[]) => Promise<unknown>,
): Promise<void> {
  try {
    const reply = await evaluate(operations.flatMap(({ words }) => words));
    if (!Array.isArray(reply)) throw new TypeError(`expected an array from a script, found ${typeof reply}`);
    for (const [index, operation] of operations.entries()) answer(operation, isReply(reply) ? reply : reply[index]);
  } catch (error) {
    for (const { reject } of operations) reject(error);
  }
}

/** An operation that has failed says so as the server would have. */
function answer({ resolve, reject }: Waiting, reply: unknown): void {
  const [first, message = ''] = replyOf(reply);
  if (first === FAILURE) reject(new Error(message));
  else resolve(replyOf(reply));
}

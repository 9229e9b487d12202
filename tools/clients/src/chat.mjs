import { isDeepStrictEqual } from 'node:util';
import { PAGE } from './row.mjs';

/** Who answers, the answer, a system text, the answer to a caller who gives it, and a limit that cuts every answer. */
export const MODEL = 'house/answer';
export const ANSWER = 'In 2021 [1].';
export const BRIEF = 'Be brief.';
export const BRIEF_ANSWER = `${BRIEF} ${ANSWER}`;
export const CUT = 16;

/** Rows by what they call: the call, how the reply is read, what it must show besides the page, and the charge if not 0.005. */
export function rowsOf(client, calls) {
  return Object.entries(calls).map(([what, [call, read, expected, cost]]) => ({
    client,
    what,
    call,
    cost,
    shown: (reply) => isDeepStrictEqual(read(reply), [...expected, PAGE]) && PAGE,
  }));
}

/** A setting of the gateway. */
export const USAGE_COST = "With [`usageCost: 'object'`](openai.md).";

/** What the readers below find: text, end, and cost. */
export const WHOLE = [ANSWER, 'stop', 0.005];
export const TOLD = [BRIEF_ANSWER, 'stop', 0.005];
export const LIMITED = [BRIEF_ANSWER, 'length', 0.005];

export function ofChat({ choices: [{ message, finish_reason: end }], usage: { cost }, citations }) {
  return [message.content, end, cost?.total_cost ?? cost, citations[0]];
}

const ENDS = { completed: 'stop', incomplete: 'length' };
export function ofResponse({ output, status, usage }) {
  const { text, annotations } = output.at(-1).content[0];
  return [text, ENDS[status], usage.cost, annotations[0].url];
}

/** The parts of a stream. */
export async function all(stream) {
  const parts = [];
  for await (const part of await stream) parts.push(part);
  return parts;
}

/** The chunks of a stream as a whole, in the client's names. */
export async function joined(stream) {
  const chunks = await all(stream);
  const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  const last = chunks.findLast(({ choices }) => choices.length > 0);
  return { ...last, choices: [{ ...last.choices[0], message: { content } }], usage: chunks.at(-1).usage };
}

/** The page that every model of the gateway finds, and the question. */
export const PAGE = 'https://example.org/zephyr';
export const QUERY = 'Zephyr Bridge';
/** Who answers, the answer, a system text, and the answer to a caller who gives it. */
export const MODEL = 'house/answer';
export const ANSWER = 'In 2021 [1].';
export const BRIEF = 'Be brief.';
export const BRIEF_ANSWER = `${BRIEF} ${ANSWER}`;
/** A limit in tokens that cuts every answer. */
export const CUT = 16;

/**
 * A call of an unchanged client, which is charged once.
 *
 * @typedef {object} Row
 * @property {string} client its package, or the program whose requests have this form
 * @property {string} what the call
 * @property {() => unknown} call may return a promise
 * @property {(reply: any) => unknown} shown what the reply must show: the address of the page
 * @property {number} [cost] in USD; by default 0.005
 *
 * @callback Rows
 * @param {import('./gateway.mjs').Address} gateway
 * @returns {Row[]}
 */

/** The parts of a stream. */
export async function all(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

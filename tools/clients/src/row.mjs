/** The page that every model of the gateway finds, and the question. */
export const PAGE = 'https://example.org/zephyr';
export const QUERY = 'Zephyr Bridge';

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

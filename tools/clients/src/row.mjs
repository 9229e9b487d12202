/** The page that every model of the gateway finds, and the question. */
export const PAGE = 'https://example.org/zephyr';
export const QUERY = 'Zephyr Bridge';
export const DOCUMENTS = ['It is 200 m long.', 'It opened in May.'];

/**
 * The rows of a client, in short.
 *
 * @param {string} client
 * @param {[what: string, call: () => unknown, shown: (reply: any) => unknown, cost?: number][]} rows
 * @returns {Row[]}
 */
export const rowsOf = (client, rows) => rows.map(([what, call, shown, cost]) => ({ client, what, call, shown, cost }));

/**
 * A call of an unchanged client, which is charged once.
 *
 * @typedef {object} Row
 * @property {string} client a name of the family's `clients`
 * @property {string} what the call
 * @property {() => unknown} call may return a promise
 * @property {(reply: any) => unknown} shown what the reply must show: the address of the page
 * @property {number} [cost] in USD; by default 0.005
 *
 * @callback Rows
 * @param {import('./gateway.mjs').Address} gateway
 * @returns {Row[]}
 *
 * The clients of a family, for the documents: where each takes the base URL and the key, and what differs. A name is that of a dependency, or of a
 * program whose requests have this form. `BASE` is the mount URL with `/api/v1`.
 *
 * @typedef {Record<string, [base: string, key: string, differs: string]>} Clients
 */

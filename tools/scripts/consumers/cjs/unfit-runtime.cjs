/* What a runtime does that replaces undici by something else: createGateway says so, instead of failing every call. */
const assert = require('node:assert/strict');

require('undici/lib/dispatcher/pool.js');
require.cache[require.resolve('undici/lib/dispatcher/pool.js')].exports = class Pool {};

const { createGateway, memoryLedger } = require('@searchgate/core');
const { exa } = require('@searchgate/core/providers');

const options = { providers: [exa({ apiKey: 'a-key-of-exa' })], ledger: memoryLedger(), authenticate: () => null };
assert.throws(() => createGateway(options), {
  reason: 'invalid_configuration',
  message: /^runtime: found an undici without Pool\.dispatch/,
});

import { describe } from 'vitest';
import { testPlantedKeys } from '../../core/test/planted-key-suite.js';
import { openLedger } from './open-ledger.js';
import { dumpOf, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();

describe.skipIf(server === undefined)(`planted keys${suffix}`, () => {
  testPlantedKeys({
    name: 'Redis',
    async open() {
      const { ledger, client, prefix } = await openLedger(server?.url ?? '');
      return { ledger, stored: () => dumpOf(client, prefix), dispose: async () => Promise.resolve() };
    },
  });
});

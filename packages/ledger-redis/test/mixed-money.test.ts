import { afterAll, describe } from 'vitest';
import { testComposedMoney } from '../../core/test/composed-money-suite.js';
import { testFormMoney } from '../../core/test/form-money-suite.js';
import { type Engine, testMixedMoney } from '../../core/test/mixed-money-suite.js';
import { redisLedger } from '../src/index.js';
import { connectIoRedis, freshPrefix, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();

describe.skipIf(server === undefined)(`random histories${suffix}`, async () => {
  if (server === undefined) return;
  const { client, end } = await connectIoRedis(server.url);
  afterAll(end);

  const engine: Engine = {
    name: 'Redis',
    runs: 20,
    async open(clock) {
      const ledger = redisLedger({ client, clock, prefix: freshPrefix() });
      await ledger.migrate();
      return { ledger, dispose: () => ledger.close() };
    },
  };
  testMixedMoney(engine);
  testFormMoney(engine);
  testComposedMoney(engine);
});

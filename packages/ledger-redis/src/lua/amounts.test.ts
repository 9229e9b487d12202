import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { connectIoRedis, serverOrReason } from '../../test/with-redis.js';
import { evaluateBy } from '../engine/redis-client.js';
import { AMOUNTS } from './amounts.js';
import { WHOLE_NUMBERS } from './opening.js';

const { server, suffix } = await serverOrReason();
const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;
const PLAIN_MOST = 10n ** 15n;

/** Where representations change: ends of the range, of what is plain, of a billion and of what doubles tell apart. */
const edges = [0n, 10n ** 9n, 2n ** 53n, PLAIN_MOST, 10n ** 18n, MOST].flatMap((edge) =>
  [-2n, -1n, 0n, 1n, 2n].flatMap((step) => [edge + step, -(edge + step)]),
);
const anyAmount = fc.oneof(
  fc.constantFrom(...edges.filter((edge) => edge >= LEAST && edge <= MOST)),
  fc.bigInt({ min: LEAST, max: MOST }),
  fc.bigInt({ min: -PLAIN_MOST * 2n, max: PLAIN_MOST * 2n }),
  fc.bigInt({ min: -1_000n, max: 1_000n }),
);

/** For four amounts each, every operation the scripts use, as deep as they nest it. */
const CALCULATE = `${WHOLE_NUMBERS}${AMOUNTS}
local reply = {}
local function yes(truth) return truth and '1' or '0' end
for index = 1, #ARGV, 4 do
  local a, b, c, d = amount(ARGV[index]), amount(ARGV[index + 1]), amount(ARGV[index + 2]), amount(ARGV[index + 3])
  local results = { digits(a), digits(a + b), digits(a - b), digits(a + b + c), digits(a - b + c - d),
    yes(exceeds(a, ARGV[index + 1])), yes(exceeds(a + b + c, ARGV[index + 3])), yes(exceeds(a, digits(b + c))), yes(fits(a)), yes(fits(a + b)), yes(fits(a - b + c)) }
  for _, result in ipairs(results) do reply[#reply + 1] = result end
end
return reply
`;

function expectedOf([a, b, c, d]: readonly [bigint, bigint, bigint, bigint]): string[] {
  const yes = (truth: boolean) => (truth ? '1' : '0');
  const fits = (value: bigint) => yes(value >= -MOST && value <= MOST);
  const sums = [a, a + b, a - b, a + b + c, a - b + c - d].map(String);
  return [...sums, yes(a > b), yes(a + b + c > d), yes(a > b + c), fits(a), fits(a + b), fits(a - b + c)];
}

describe.skipIf(server === undefined)(`amounts in Lua${suffix}`, () => {
  if (server === undefined) return;
  const connected = connectIoRedis(server.url);
  afterAll(async () => {
    (await connected).end();
    await server.stop();
  });

  test('add, subtract, compare and print as bigint does, over all 64 bits and beyond', async () => {
    const evaluate = evaluateBy((await connected).client);
    const rows = fc.array(fc.tuple(anyAmount, anyAmount, anyAmount, anyAmount), { minLength: 100, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(rows, async (amounts) => {
        const values = amounts.flat().map(String);
        expect(await evaluate('EVAL', CALCULATE, { keys: ['unused'], values })).toEqual(amounts.flatMap(expectedOf));
      }),
      { numRuns: 60 },
    );
  });

  test('take nothing for zero', async () => {
    const evaluate = evaluateBy((await connected).client);
    const script = `${WHOLE_NUMBERS}${AMOUNTS} return { digits(amount(nil)), digits(amount(false)), digits(amount(false) + amount('5')) }`;
    expect(await evaluate('EVAL', script, { keys: ['unused'], values: [] })).toEqual(['0', '0', '5']);
  });
});

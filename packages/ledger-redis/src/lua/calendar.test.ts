import { firstDayOf, LIMIT_RESETS, limitWindowAt, monthOfDay } from '@searchgate/core/ledger';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { connectIoRedis, serverOrReason } from '../../test/with-redis.js';
import { evaluateBy } from '../engine/redis-client.js';
import { CALENDAR } from './calendar.js';

const { server, suffix } = await serverOrReason();
const LAST_MS = Date.UTC(9999, 11, 31);

const WINDOWS = `${CALENDAR}
local windowStart, windowEnd, monthOf = calendar()
local reply = {}
for _, text in ipairs(ARGV) do
  for _, reset in ipairs({ 'daily', 'weekly', 'monthly' }) do
    reply[#reply + 1] = string.format('%.0f', windowStart(reset, tonumber(text)))
    reply[#reply + 1] = string.format('%.0f', windowEnd(reset, tonumber(text)))
  end
  local month, first = monthOf(math.floor(text / DAY))
  reply[#reply + 1], reply[#reply + 2] = string.format('%.0f', month), string.format('%.0f', first)
end
return reply
`;

function expectedOf(atMs: number): string[] {
  const windows = LIMIT_RESETS.flatMap((reset) => {
    const { startsAtMs, resetsAtMs } = limitWindowAt(reset, atMs);
    return [`${startsAtMs}`, `${resetsAtMs}`];
  });
  const month = monthOfDay(Math.floor(atMs / 86_400_000));
  return [...windows, `${month}`, `${firstDayOf(month)}`];
}

describe.skipIf(server === undefined)(`the calendar in Lua${suffix}`, () => {
  if (server === undefined) return;
  const connected = connectIoRedis(server.url);
  afterAll(async () => {
    (await connected).end();
    await server.stop();
  });

  async function assertWindows(times: readonly number[]): Promise<void> {
    const evaluate = evaluateBy((await connected).client);
    expect(await evaluate('EVAL', WINDOWS, { keys: ['unused'], values: times.map(String) })).toEqual(
      times.flatMap(expectedOf),
    );
  }

  test('finds the windows of any moment as limitWindowAt does', async () => {
    const times = fc.array(fc.integer({ min: 0, max: LAST_MS }), { minLength: 200, maxLength: 200 });
    await fc.assert(fc.asyncProperty(times, assertWindows), { numRuns: 50 });
  });

  test('begins every month of 500 years at its first millisecond, leap years and centuries included', async () => {
    for (let year = 1970; year < 2470; year += 20) {
      const firsts = Array.from({ length: 240 }, (_, month) => Date.UTC(year, month));
      await assertWindows(firsts.flatMap((first) => [first, Math.max(0, first - 1), first + 1]));
    }
  });
});

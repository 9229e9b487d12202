import { SCHEMA_VERSION } from './schema.js';

/** How whole numbers become texts: `%d` takes half the time of `%.0f`, but is wrong past 32 bits where a `long` of the server has no more. */
export const WHOLE_NUMBERS = `
local WHOLE = string.format('%d', 4294967296) == '4294967296' and '%d' or '%.0f'
local function whole(number) return string.format(WHOLE, number) end
`;

/** Begins the reply of a refusal. Everything else a reply begins with has no space. */
export const REFUSAL = 'refused by';

/** Begins the reply of an operation that failed behind others of the same script: then comes what Redis or Lua said. */
export const FAILURE = 'failed with';

/**
 * Every key of a ledger, by its name behind the prefix. All exist from `migrate()` on and never go, whatever they hold: a key that is not there
 * was not moved yet, or was evicted or deleted. Claims are the exception: each is a key of its own, which Redis forgets by itself.
 */
export const LEDGER_KEYS = [
  'meta',
  'org-counters',
  'key-counters',
  'holds',
  'open',
  'ended',
  'grants',
  'adjustments',
  'log',
  'index',
  'api-key-records',
  'organization-records',
  'api-key-hashes',
  'api-keys',
  'api-keys-of',
  'organizations',
  'sums',
  'sum-names',
  'checkpoint',
  'requests',
  'requests-by-time',
  'requests-by-answer',
  'requests-by-organization',
  'request-counts',
  'changes',
  'changes-by-id',
  'erasable-changes',
  'instances',
  'idle-budgets',
  'budgets',
  'budgets-of',
  'budget-keys',
  'request-sums',
  'request-sum-names',
  'request-sum-texts',
  'request-texts',
  'request-texts-by-time',
  'request-texts-by-organization',
] as const;

export type LedgerKey = (typeof LEDGER_KEYS)[number];

/** A script and the keys it touches. */
export interface Script {
  /** Declared to Redis in this order, `meta` first. */
  readonly keys: readonly [LedgerKey, ...LedgerKey[]];
  readonly source: string;
  /** Whether it does several operations: see {@link scriptOfMany}. */
  readonly takesMany?: boolean;
}

/**
 * What scripts begin with: names for their keys (`org-counters` is `ORG_COUNTERS`), the version, and for those that touch the log how many entries it has, and
 * its two times.
 */
export function namesOf(keys: readonly LedgerKey[]): string {
  const names = keys.map((key) => key.toUpperCase().replaceAll('-', '_'));
  const ofLog = `
local version, log = unpack(redis.call('HMGET', META, 'version', 'log'))
local entries, stamp, behind = string.match(log or '0 0 0', '^(%d+) (%d+) (%d+)$')
entries, stamp, behind = tonumber(entries), tonumber(stamp), tonumber(behind)`;
  const ofOthers = `
local version = redis.call('HGET', META, 'version')`;
  return `
local ${names.join(', ')} = unpack(KEYS)${keys.includes('log') ? ofLog : ofOthers}
local function refuse(reason, message) return { '${REFUSAL}', reason, message } end
${WHOLE_NUMBERS}`;
}

/** The attempt and what time it is; `shift` moves a time of the caller's onto the clock that rules. */
export const PRESENT = `
local token = ARGV[1]
local now, shift = tonumber(ARGV[2]), 0
if ARGV[3] == 'server' then
  local time = redis.call('TIME')
  local own = time[1] * 1000 + math.floor(time[2] / 1000)
  now, shift = own, own - now
end
local nowText = whole(now)
`;

export const MISSING =
  'keys of this ledger are missing: they were evicted or deleted, or are on another node of the Cluster';

/** Where `found` is a newer version, refuses unless this one may still read and write beside it: see `readableFrom` of {@link MigrationStep}. */
export const REFUSE_NEWER = `
local oldest = found > ${SCHEMA_VERSION} and (tonumber(redis.call('HGET', META, 'readable_from')) or found) or 0
if oldest > ${SCHEMA_VERSION} then
  return refuse('schema_mismatch', 'the keys of this ledger are of version ' .. version .. ' and can be used from version ' .. whole(oldest) ..
    ' on, and this package knows version ${SCHEMA_VERSION}: install the version of @searchgate/ledger-redis that ran migrate() again, or a newer one')
end
`;

/**
 * Refuses to work on keys that this version may not use, and where not all keys are there.
 *
 * Arguments: 1 the attempt's token, 2 the caller's present moment, 3 `server` where the server's clock rules, or `given` where the caller's
 * does; a script's own follow from 4 on.
 *
 * Replies are flat arrays of texts; one that begins with REFUSAL is a refusal: reason and message.
 */
function openingOf(keys: readonly LedgerKey[]): string {
  const allKeys = keys.map((_, index) => `KEYS[${index + 1}]`).join(', ');
  return `${namesOf(keys)}
if version ~= '${SCHEMA_VERSION}' then
  local found = tonumber(version or '')
  if not found or found < ${SCHEMA_VERSION} then
    return refuse('schema_mismatch', 'expected version ${SCHEMA_VERSION} of the keys of this ledger, found ' .. (version or 'none') .. ': run migrate()')
  end
${REFUSE_NEWER}
end
if redis.call('EXISTS', ${allKeys}) < ${keys.length} then return refuse('schema_mismatch', '${MISSING}') end
${PRESENT}`;
}

/**
 * Tags the source of a script over these keys and `meta`. Redis gets the names of all of them, so that a Cluster which is moving them from one node to another says so
 * (`TRYAGAIN`, `ASK`) instead of running the script where some are missing.
 */
export function script(keys: readonly Exclude<LedgerKey, 'meta'>[]) {
  const all = ['meta', ...keys] as const;
  return (texts: TemplateStringsArray, ...pieces: readonly (string | number)[]): Script => {
    return { keys: all, source: openingOf(all) + String.raw({ raw: texts }, ...pieces) };
  };
}

/** The text of an error, which begins with a word in capitals. */
export const FAILING = `
local function messageOf(failure)
  local message = type(failure) == 'table' and failure.err or tostring(failure)
  return string.find(message, '^%u+ ') and message or 'ERR ' .. message
end
`;

/** What a script does for each of its operations. */
interface OperationOfMany {
  /** The body of a function, which returns the reply. */
  readonly operation: string;
  /** Makes the functions `fetchAll`, which reads what the operations at these places need, and `leave`. */
  readonly many: string;
}

/**
 * A script that does as many operations as it is given, one after the other, so that what a script costs beside its work is paid once for all of them.
 * From 4 on, its arguments are of each operation: its token, how many values it has, and those, which are `ARGV[first]` to `ARGV[last]`. Gives a list of replies.
 *
 * Operations work on fields in hand (IN_HAND), and nothing is written before all of them are done. Where one fails, such as on a damaged hold, all is left, and each is
 * done and written by itself: then its error is its own, and the others are done.
 *
 * Redis refuses to write (`OOM`, `READONLY`, …) only at the first write of a script. Nothing was done then, and that is the error of the script, as clients know it.
 *
 * @param pieces make the function `save`.
 */
export function scriptOfMany(
  keys: readonly Exclude<LedgerKey, 'meta'>[],
  pieces: readonly string[],
  { operation, many }: OperationOfMany,
): Script {
  const doEach = `
local function operation()
${operation}
end

local firsts = {}
while last < #ARGV do
  firsts[#firsts + 1] = last + 3
  last = last + 2 + ARGV[last + 2]
end

local function doAt(place)
  first = firsts[place]
  token, last = ARGV[first - 2], first - 1 + ARGV[first - 1]
  return operation()
end

-- What only many operations need is made for them.
if #firsts == 1 then
  local reply = doAt(1)
  save()
  return { reply }
end
${many}
local function doAll()
  local replies = {}
  fetchAll(firsts)
  for place = 1, #firsts do replies[place] = doAt(place) end
  return replies
end

local function doAlone(place)
  leave()
  local reply = doAt(place)
  save()
  return reply
end

local isDone, replies = pcall(doAll)
if isDone then
  save()
  return replies
end
${FAILING}
replies = {}
for place = 1, #firsts do
  local isDone, reply = pcall(doAlone, place)
  if not isDone then
    local message = messageOf(reply)
    if place == 1 and not string.find(message, '^ERR ') then return { err = message } end
    reply = { '${FAILURE}', message }
  end
  replies[place] = reply
end
return replies
`;
  return { ...script(keys)`local first, last = 0, 3\n${pieces.join('')}${doEach}`, takesMany: true };
}

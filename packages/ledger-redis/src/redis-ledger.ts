import {
  type Claim,
  type ClaimResult,
  createDurableLedger,
  type DurableLedger,
  type IdempotencyEngine,
} from '@searchgate/core/ledger';
import { redisChanges, redisInstances } from './changes/redis-changes.js';
import { evaluateBy } from './engine/redis-client.js';
import { createScripts, type Scripts } from './engine/scripts.js';
import { redisApiKeys } from './keys/redis-api-keys.js';
import { LEDGER_KEYS, MISSING, namesOf, PRESENT, REFUSE_NEWER, type Script, script } from './lua/opening.js';
import { READABLE_FROM, SCHEMA_VERSION, STEPS } from './lua/schema.js';
import { audit } from './money/audit.js';
import { packSums, redisMoney } from './money/redis-money.js';
import { removeEntries } from './money/remove-entries.js';
import { type RedisLedgerOptions, readRedisLedgerOptions } from './redis-ledger-options.js';
import { redisRequests } from './requests/redis-requests.js';

/**
 * Redis removes a key that holds nothing, and the keys of a ledger have to stay: each holds something that is never read. No id is an empty text. The list of
 * ended holds keeps its last one by itself, and a stream may be empty.
 */
const CREATE = `
-- Those of version 1.
local function create()
  for _, key in ipairs({ ORG_COUNTERS, KEY_COUNTERS, HOLDS, GRANTS, ADJUSTMENTS, INDEX, API_KEY_RECORDS, ORGANIZATION_RECORDS, API_KEY_HASHES,
    SUMS, CHECKPOINT, REQUESTS, REQUESTS_BY_ANSWER, CHANGES, INSTANCES }) do
    redis.call('HSET', key, '', '')
  end
  for _, key in ipairs({ OPEN, API_KEYS, ORGANIZATIONS, REQUESTS_BY_TIME }) do redis.call('ZADD', key, '+inf', '') end
  for _, key in ipairs({ API_KEYS_OF, SUM_NAMES, REQUESTS_BY_ORGANIZATION, REQUEST_COUNTS, CHANGES_BY_ID, ERASABLE_CHANGES }) do redis.call('ZADD', key, '0', '') end
  redis.call('RPUSH', ENDED, '0 ')
  if redis.call('EXISTS', LOG) == 0 then
    redis.call('XADD', LOG, '0-1', 'k', '')
    redis.call('XDEL', LOG, '0-1')
  end
end
`;

/**
 * Creates the keys of a new ledger, or brings those of an earlier version up to date. Does nothing to those of a newer version: it is refused
 * unless this one may still use them. A ledger some of whose keys are missing is left alone too: it is not started over. Declares every key, although a new ledger
 * has none yet.
 */
const MIGRATE: Script = {
  keys: LEDGER_KEYS,
  source: `${namesOf(LEDGER_KEYS)}${PRESENT}${CREATE}
local found = tonumber(version or '1')
if not found or found < 1 then return refuse('schema_mismatch', 'the version of the keys of this ledger is damaged: found ' .. version) end
${REFUSE_NEWER}
local steps = { ${STEPS.map(({ keys, step }) => `{ ${keys}, function()\n${step}\nend }`).join(', ')} }
local count = #KEYS
for from = version and found or #steps + 1, #steps do count = count - steps[from][1] end
if redis.call('EXISTS', unpack(KEYS, 1, count)) ~= (version and count or 0) then return refuse('schema_mismatch', '${MISSING}') end
if found > ${SCHEMA_VERSION} then return { 'done' } end
if not version then create() end
for from = found, #steps do steps[from][2]() end
redis.call('HSET', META, 'version', '${SCHEMA_VERSION}', 'readable_from', '${READABLE_FROM}')
return { 'done' }
`,
};

/**
 * Claims, one key and one text each: `claimed`, `finished`, `freed` or `erased`, claim id, fingerprint or token, until when, organization; behind `finished` status and body.
 * They are forgotten some time after they have ended, since a clock that is given runs otherwise than that of the server.
 * A script is given the key of a claim behind `meta`, which need not exist.
 */
const CLAIMS = `
local FORGET_MS = 600000
local name = KEYS[2]

local function present()
  local text = redis.call('GET', name)
  if not text then return nil end
  local status, claimId, fingerprint, untilMs, _, rest = string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) ?(.*)$')
  return { status = status, claimId = claimId, fingerprint = fingerprint, untilMs = tonumber(untilMs), response = rest }
end

local function save(text, forMs)
  redis.call('SET', name, text, 'PX', whole(math.max(0, forMs) + FORGET_MS))
end
`;

/** Claim id, fingerprint, organization, present moment, when it expires. */
const CLAIM = script([])`${CLAIMS}
local claimId, fingerprint, owner, nowMs, expiresAtMs = unpack(ARGV, 4)
local known = present()
if known and known.status == 'freed' then known = nil end
local own = known and known.status == 'claimed' and known.claimId == claimId
if known and not own and known.untilMs > tonumber(nowMs) + shift then
  if known.fingerprint ~= fingerprint then return { 'mismatch' } end
  if known.status == 'claimed' then return { 'in_progress' } end
  local status, body = string.match(known.response, '^(%d+) (.*)$')
  return { 'finished', status, body }
end
save(table.concat({ 'claimed', claimId, fingerprint, whole(tonumber(expiresAtMs) + shift), owner }, ' '), expiresAtMs - nowMs)
return { 'claimed' }
`;

/** Claim id, fingerprint, organization, status, body, until when. */
const COMPLETE = script([])`${CLAIMS}
local claimId, fingerprint, owner, status, body, keepUntilMs = unpack(ARGV, 4)
local known = present()
if known and known.status == 'finished' then return { known.claimId == claimId and '1' or '0' } end
if known and known.status ~= 'freed' and known.fingerprint ~= fingerprint then return { '0' } end
local untilMs = tonumber(keepUntilMs) + shift
save(table.concat({ 'finished', claimId, fingerprint, whole(untilMs), owner, status, body }, ' '), untilMs - now)
return { '1' }
`;

/** Claim id. The same attempt gets the same result again. */
const FREE = script([])`${CLAIMS}
local known = present()
if not known or known.claimId ~= ARGV[4] then return { '0' } end
if known.status == 'freed' then return { known.fingerprint == token and '1' or '0' } end
if known.status ~= 'claimed' then return { '0' } end
redis.call('SET', name, table.concat({ 'freed', known.claimId, token, '0', '-' }, ' '), 'PX', '60000')
return { '1' }
`;

/** Where the walk is. Gives where it goes on, then names of claims: those of this ledger, among all keys of its server. */
export const LIST_CLAIMS = script([])`
local claims = string.gsub(KEYS[1], 'meta$', 'claim:')
local found = redis.call('SCAN', ARGV[4], 'MATCH', string.gsub(claims, '[%[%]*?\\\\]', '\\\\%0') .. '*', 'COUNT', '1000')
local reply = { found[1] }
for _, key in ipairs(found[2]) do reply[#reply + 1] = string.sub(key, #claims + 1) end
return reply
`;

/**
 * Organization. Is given the keys of claims, and takes the responses of this organization away. A name stays claimed for nobody until its claim ends, one that was
 * finished for a minute, or a completion that is repeated would bring the response back. Gives how many names it had.
 */
export const ERASE_CLAIMS = script([])`${CLAIMS}
local erased = 0
for place = 2, #KEYS do
  name = KEYS[place]
  local status, claimId, untilText, owner = string.match(redis.call('GETRANGE', name, '0', '1000'), '^(%S+) (%S+) %S+ (%S+) (%S+)')
  if owner == ARGV[4] then
    local untilMs = tonumber(untilText)
    if status == 'finished' then untilMs = math.min(untilMs, now + 60000) end
    save(table.concat({ 'erased', claimId, '-', whole(untilMs), '-' }, ' '), untilMs - now)
    erased = erased + 1
  end
end
return { whole(erased) }
`;

/** A {@link DurableLedger} in Redis. */
export type RedisLedger = DurableLedger;

/**
 * Money, API keys and idempotency in Redis 7.0 or newer, over the host's own client.
 *
 * Every operation is one script, which Redis runs alone: it is wholly done or not at all, also for several processes. Amounts are exact over all
 * 64 bits. What an acknowledged operation survives depends on the server's settings: with `appendonly yes` and `appendfsync always` it survives the
 * end of every process, the server's too. See the README for what each other setting may lose.
 *
 * An operation that meets a lost connection, a restart or a failover is tried again for about two seconds, and recognizes what an earlier try of its
 * own has done. An error of the client after that means: it is unknown whether the operation was done; repeating it is safe.
 *
 * Before its first script the server is asked whether it throws keys away when its memory is full. If it does, every operation and `migrate()` reject with
 * a `ConfigurationError`, unless `allowEviction` is given.
 *
 * @throws ConfigurationError naming the option that is wrong.
 */
export function redisLedger(options: RedisLedgerOptions): RedisLedger {
  const { client, endedHoldRetentionMs, ...rest } = readRedisLedgerOptions(options);
  const scripts = createScripts({ evaluate: evaluateBy(client), ...rest });
  return createDurableLedger({
    schemaVersion: SCHEMA_VERSION,
    ...redisMoney(scripts, endedHoldRetentionMs),
    apiKeys: redisApiKeys(scripts),
    idempotency: redisIdempotency(scripts),
    requests: redisRequests(scripts),
    changes: redisChanges(scripts),
    instances: redisInstances(scripts),
    async migrate() {
      await scripts.run(MIGRATE, []);
      await packSums(scripts, Infinity);
    },
    removeEntries: (cursor) => removeEntries(scripts, cursor),
    audit: () => audit(scripts),
  });
}

/** Claims of idempotency keys, each operation one script. */
function redisIdempotency(scripts: Scripts): IdempotencyEngine {
  return {
    async claim(request) {
      const { claimId, fingerprint, organizationId = '-', nowMs, expiresAtMs } = request;
      const values = [claimId, fingerprint, organizationId, `${nowMs}`, `${expiresAtMs}`];
      return claimResult(await scripts.run(CLAIM, values, nameOf(request)));
    },
    async complete(claim, { status, body }, keepUntilMs) {
      const { claimId, fingerprint, organizationId = '-' } = claim;
      const values = [claimId, fingerprint, organizationId, `${status}`, body, `${keepUntilMs}`];
      return (await scripts.run(COMPLETE, values, nameOf(claim)))[0] === '1';
    },
    async free(claim) {
      return (await scripts.run(FREE, [claim.claimId], nameOf(claim)))[0] === '1';
    },
    async erase(organizationId) {
      let erased = 0;
      let cursor = '';
      while (cursor !== '0') {
        const [next = '0', ...names] = await scripts.run(LIST_CLAIMS, [cursor || '0']);
        if (names.length > 0) erased += Number((await scripts.run(ERASE_CLAIMS, [organizationId], ...names))[0]);
        cursor = next;
      }
      return erased;
    },
  };
}

/** Ids of keys have no spaces, so the first one ends them. */
function nameOf({ keyId, idempotencyKey }: Claim): string {
  return `${keyId} ${idempotencyKey}`;
}

function claimResult([status, code, body = '']: readonly string[]): ClaimResult {
  if (status === 'finished') return { status, response: { status: Number(code), body } };
  return { status: status as 'claimed' | 'in_progress' | 'mismatch' };
}

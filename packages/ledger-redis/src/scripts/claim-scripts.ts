import { OPENING } from '../lua/opening.js';

/**
 * Claims, one text each: `claimed` or `finished`, claim id, fingerprint, until when; behind `finished` status and body. They are forgotten some
 * time after they have ended, since a clock that is given runs otherwise than that of the server.
 */
const CLAIMS = `
local FORGET_MS = 600000
local name = base .. 'claim:' .. ARGV[4]

local function present()
  local text = redis.call('GET', name)
  if not text then return nil end
  local status, claimId, fingerprint, untilMs, rest = string.match(text, '^(%S+) (%S+) (%S+) (%S+) ?(.*)$')
  return { status = status, claimId = claimId, fingerprint = fingerprint, untilMs = tonumber(untilMs), response = rest }
end

local function save(text, forMs)
  redis.call('SET', name, text, 'PX', whole(math.max(0, forMs) + FORGET_MS))
end
`;

/** Name, claim id, fingerprint, present moment, when it expires. */
export const CLAIM = `${OPENING}${CLAIMS}
local claimId, fingerprint, nowMs, expiresAtMs = unpack(ARGV, 5)
local known = present()
local own = known and known.status == 'claimed' and known.claimId == claimId
if known and not own and known.untilMs > tonumber(nowMs) + shift then
  if known.fingerprint ~= fingerprint then return { 'mismatch' } end
  if known.status == 'claimed' then return { 'in_progress' } end
  local status, body = string.match(known.response, '^(%d+) (.*)$')
  return { 'finished', status, body }
end
save(table.concat({ 'claimed', claimId, fingerprint, whole(tonumber(expiresAtMs) + shift) }, ' '), expiresAtMs - nowMs)
return { 'claimed' }
`;

/** Name, claim id, status, body, until when. */
export const COMPLETE = `${OPENING}${CLAIMS}
local claimId, status, body, keepUntilMs = unpack(ARGV, 5)
local known = present()
if not known or known.claimId ~= claimId then return { '0' } end
if known.status == 'claimed' then
  local untilMs = tonumber(keepUntilMs) + shift
  save(table.concat({ 'finished', claimId, known.fingerprint, whole(untilMs), status, body }, ' '), untilMs - now)
end
return { '1' }
`;

/** Name, claim id. What it has freed is told to the same attempt again. */
export const FREE = `${OPENING}${CLAIMS}
local known = present()
local freed = base .. 'freed:' .. token
if redis.call('EXISTS', freed) == 1 then return { '1' } end
if not known or known.status ~= 'claimed' or known.claimId ~= ARGV[5] then return { '0' } end
redis.call('DEL', name)
redis.call('SET', freed, '1', 'PX', '60000')
return { '1' }
`;

import { type Script, script } from '../lua/opening.js';

/**
 * Claims, one key and one text each: `claimed`, `finished` or `freed`, claim id, fingerprint or token, until when; behind `finished` status and body.
 * They are forgotten some time after they have ended, since a clock that is given runs otherwise than that of the server.
 */
const CLAIMS = `
local FORGET_MS = 600000
local name = KEYS[2]

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

/** A script that is given the key of one claim behind `meta`, which need not exist. */
function claimScript(source: string): Script {
  return script([], CLAIMS, source);
}

/** Claim id, fingerprint, present moment, when it expires. */
export const CLAIM = claimScript(`
local claimId, fingerprint, nowMs, expiresAtMs = unpack(ARGV, 4)
local known = present()
if known and known.status == 'freed' then known = nil end
local own = known and known.status == 'claimed' and known.claimId == claimId
if known and not own and known.untilMs > tonumber(nowMs) + shift then
  if known.fingerprint ~= fingerprint then return { 'mismatch' } end
  if known.status == 'claimed' then return { 'in_progress' } end
  local status, body = string.match(known.response, '^(%d+) (.*)$')
  return { 'finished', status, body }
end
save(table.concat({ 'claimed', claimId, fingerprint, whole(tonumber(expiresAtMs) + shift) }, ' '), expiresAtMs - nowMs)
return { 'claimed' }
`);

/** Claim id, fingerprint, status, body, until when. */
export const COMPLETE = claimScript(`
local claimId, fingerprint, status, body, keepUntilMs = unpack(ARGV, 4)
local known = present()
if known and known.status == 'finished' then return { known.claimId == claimId and '1' or '0' } end
if known and known.status == 'claimed' and known.fingerprint ~= fingerprint then return { '0' } end
local untilMs = tonumber(keepUntilMs) + shift
save(table.concat({ 'finished', claimId, fingerprint, whole(untilMs), status, body }, ' '), untilMs - now)
return { '1' }
`);

/** Claim id. The same attempt gets the same result again. */
export const FREE = claimScript(`
local known = present()
if not known or known.claimId ~= ARGV[4] then return { '0' } end
if known.status == 'freed' then return { known.fingerprint == token and '1' or '0' } end
if known.status ~= 'claimed' then return { '0' } end
redis.call('SET', name, table.concat({ 'freed', known.claimId, token, '0' }, ' '), 'PX', '60000')
return { '1' }
`);

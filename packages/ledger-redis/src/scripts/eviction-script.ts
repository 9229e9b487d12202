import { namesOf, type Script } from '../lua/opening.js';

/** Gives how much memory the server may use (0 for any) and what it does when that is full; nothing and why where it does not say. Needs no ledger. */
export const EVICTION: Script = {
  keys: ['meta'],
  source: `${namesOf(['meta'])}
local info = redis.pcall('INFO', 'memory')
if type(info) ~= 'string' then return { '', info.err } end
return { string.match(info, 'maxmemory:(%d+)') or '', string.match(info, 'maxmemory_policy:(%S+)') or 'INFO memory names no maxmemory_policy' }
`,
};

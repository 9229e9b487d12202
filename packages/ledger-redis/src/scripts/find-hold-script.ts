import { HOLDS } from '../lua/holds.js';
import { script } from '../lua/opening.js';

/**
 * Hold id. Gives nothing, or its status, what was charged, organization, key, model, provider, when it was made and when it ended, empty where it has not.
 */
export const FIND_HOLD = script(
  ['holds'],
  HOLDS,
  `
local text = redis.call('HGET', HOLDS, ARGV[4])
if not text then return {} end
local hold = readHold(ARGV[4], text)
local statuses = { waiting = 'open', late = 'settled' }
local cost = (hold.isOpen or hold.status == 'expired') and '0' or hold.amount
return { statuses[hold.status] or hold.status, cost, hold.organizationId, hold.keyId, modelOf(hold), providerOf(hold), hold.madeAt,
  hold.isOpen and '' or hold.endedAt }
`,
);

import { USES } from '../lua/log.js';
import { BOOK_KEYS, CHARGING, CREDIT_KEYS, CREDITING } from '../lua/money.js';
import { script } from '../lua/opening.js';

/** Grant id, organization, amount, note. */
export const GRANT = script(
  ['grants', ...CREDIT_KEYS],
  CREDITING,
  USES,
  `
local id, organizationId, amountText, note = unpack(ARGV, 4)
local attempt, earlier = useOf(GRANTS, id)
if attempt then
  if earlier[6] == organizationId and earlier[10] == amountText then return { attempt == token and '1' or '0' } end
  return refuse('duplicate_grant', 'grantId: "' .. id .. '" was used before with other arguments')
end
local organization = organizationBook(organizationId)
local credits = amount(organization.credits) + amount(amountText)
if not fits(credits) then return refuseOverflow() end

organization.credits = digits(credits)
append(organization, nil, 'grant', id, amountText, '', '', '', note)
noteUse(GRANTS, id)
saveOrganization(organization)
saveLog()
saveHashes()
return { '1' }
`,
);

/** Adjustment id, organization, key or nothing, amount, note. */
export const ADJUST = script(
  ['adjustments', ...BOOK_KEYS],
  CHARGING,
  USES,
  `
local id, organizationId, keyId, amountText, note = unpack(ARGV, 4)
local attempt, earlier = useOf(ADJUSTMENTS, id)
if attempt then
  if earlier[6] == organizationId and earlier[8] == keyId and earlier[10] == amountText then
    return { attempt == token and '1' or '0' }
  end
  return refuse('duplicate_adjustment', 'adjustmentId: "' .. id .. '" was used before with other arguments')
end
local organization, key = organizationBook(organizationId), keyId ~= '' and keyBook(keyId)
organization.usage = organization.usage + amount(amountText)
if key then useKey(key, amount(amountText)) end
if not bothFit(organization, key) then return refuseOverflow() end

append(organization, key, 'adjustment', id, amountText, '', '', '', note)
noteUse(ADJUSTMENTS, id)
saveOrganization(organization)
if key then saveKey(key) end
saveLog()
saveHashes()
return { '1' }
`,
);

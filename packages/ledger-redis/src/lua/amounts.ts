/**
 * Exact amounts in Lua, whose only numbers are doubles. Below 10^15 an amount is a plain number: sums of a few of those are far below 2^53, where
 * doubles stop being exact. A larger one is two whole numbers, `high` billions and `low` below a billion, which add and subtract with plain
 * ones. Amounts come and go as decimal texts.
 *
 * Every run of a script makes its functions again, so those for large amounts are made when the first one comes up: most scripts meet none.
 */
export const AMOUNTS = `
local floor = math.floor
local BILLION = 1000000000
local PLAIN_DIGITS = 15
local Large

local function makeLarge()
  Large = {}

  local function normal(high, low)
    local carry = floor(low / BILLION)
    return setmetatable({ high = high + carry, low = low - carry * BILLION }, Large)
  end

  local function parts(a)
    if type(a) == 'number' then return 0, a end
    return a.high, a.low
  end

  Large.__add = function(a, b)
    local aHigh, aLow = parts(a)
    local bHigh, bLow = parts(b)
    return normal(aHigh + bHigh, aLow + bLow)
  end

  Large.__sub = function(a, b)
    local aHigh, aLow = parts(a)
    local bHigh, bLow = parts(b)
    return normal(aHigh - bHigh, aLow - bLow)
  end

  function Large.amount(text)
    local sign, digits = 1, text
    if string.sub(text, 1, 1) == '-' then sign, digits = -1, string.sub(text, 2) end
    return normal(sign * tonumber(string.sub(digits, 1, -10)), sign * tonumber(string.sub(digits, -9)))
  end

  function Large.digits(a)
    local sign, high, low = '', a.high, a.low
    if high < 0 then
      local positive = normal(-high, -low)
      sign, high, low = '-', positive.high, positive.low
    end
    if high == 0 then return string.format('%s%.0f', sign, low) end
    return string.format('%s%.0f%09.0f', sign, high, low)
  end

  -- Metamethods cannot compare a plain number with a large one.
  function Large.exceeds(a, b)
    local high, low = parts(b - a)
    return high < 0 or (high == 0 and low < 0)
  end

  function Large.fits(a)
    local most, least = Large.amount('9223372036854775807'), Large.amount('-9223372036854775807')
    return not Large.exceeds(a, most) and not Large.exceeds(least, a)
  end
end

-- Of what a reply or an argument says; nothing is zero.
local function amount(text)
  if not text then return 0 end
  if #text <= PLAIN_DIGITS then return tonumber(text) end
  if not Large then makeLarge() end
  return Large.amount(text)
end

local function digits(a)
  if type(a) == 'number' then return whole(a) end
  return Large.digits(a)
end

-- The second one as a text. Where it has more digits than a plain number, it is further away than any sum of those, also as a double.
local function exceeds(a, text)
  if type(a) == 'number' then return a > tonumber(text) end
  return Large.exceeds(a, amount(text))
end

-- Whether it is within ±(2^63 - 1).
local function fits(a) return type(a) == 'number' or Large.fits(a) end
`;

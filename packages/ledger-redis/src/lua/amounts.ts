/**
 * Exact amounts in Lua, whose only numbers are doubles: an amount is two whole numbers, `high` billions and `low` below a billion, each of
 * which a double holds exactly. They come and go as decimal texts. A sum of a few 64-bit amounts is exact as well; `fits` tells whether
 * it still is one.
 */
export const AMOUNTS = `
local BILLION = 1000000000
local Amount = {}

local function normal(high, low)
  local carry = math.floor(low / BILLION)
  return setmetatable({ high = high + carry, low = low - carry * BILLION }, Amount)
end

-- Of what a reply or an argument says; nothing is zero.
local function amount(text)
  if not text then return normal(0, 0) end
  local sign, digits = 1, text
  if string.sub(text, 1, 1) == '-' then sign, digits = -1, string.sub(text, 2) end
  local high = tonumber(string.sub(digits, 1, -10)) or 0
  local low = tonumber(string.sub(digits, -9))
  return normal(sign * high, sign * low)
end

Amount.__add = function(a, b) return normal(a.high + b.high, a.low + b.low) end
Amount.__sub = function(a, b) return normal(a.high - b.high, a.low - b.low) end
Amount.__lt = function(a, b) return a.high < b.high or (a.high == b.high and a.low < b.low) end
Amount.__tostring = function(a)
  local sign, high, low = '', a.high, a.low
  if high < 0 then
    local positive = normal(-high, -low)
    sign, high, low = '-', positive.high, positive.low
  end
  if high == 0 then return string.format('%s%d', sign, low) end
  return string.format('%s%.0f%09d', sign, high, low)
end

local MOST = amount('9223372036854775807')
local LEAST = amount('-9223372036854775808')
local function fits(a) return not (MOST < a) and not (a < LEAST) end
`;

/**
 * The civil-from-days algorithm, in eras of 400 years that begin in March: of a day since the Unix epoch the number of its month, 0 for January 1970, as
 * `monthOfDay` has it, and the first day of that month.
 */
const MONTHS = `
local DAY = 86400000
local function monthOf(day)
  local ofEra = (day + 719468) % 146097
  local year = math.floor((ofEra - math.floor(ofEra / 1460) + math.floor(ofEra / 36524) - math.floor(ofEra / 146096)) / 365)
  local ofYear = ofEra - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * ofYear + 2) / 153)
  local years = (day + 719468 - ofEra) / 146097 * 400 + year - 1970
  return years * 12 + month + 2, day - (ofYear - math.floor((153 * month + 2) / 5))
end
`;

/** The windows of limits in Lua, as `limitWindowAt` has them. `calendar()` makes the functions: most scripts need none of them. */
export const CALENDAR = `${MONTHS}
local function calendar()
  local function monthStart(ms)
    local _, first = monthOf(math.floor(ms / DAY))
    return first * DAY
  end

  local function windowStart(reset, ms)
    if reset == 'daily' then return ms - ms % DAY end
    -- The Unix epoch was a Thursday.
    if reset == 'weekly' then return ms - (ms + 3 * DAY) % (7 * DAY) end
    return monthStart(ms)
  end

  local function windowEnd(reset, ms)
    local start = windowStart(reset, ms)
    if reset == 'daily' then return start + DAY end
    if reset == 'weekly' then return start + 7 * DAY end
    return monthStart(start + 31 * DAY)
  end

  return windowStart, windowEnd
end
`;

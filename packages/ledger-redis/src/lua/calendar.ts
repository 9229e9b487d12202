/**
 * The windows of limits in Lua, as `limitWindowAt` has them. A month is found by the civil-from-days algorithm, in eras of 400 years that
 * begin in March. `calendar()` makes the functions: most scripts need none of them. `monthOf` gives the number of the month of a day, as `monthOfDay` does, and its
 * first day, both counted from January 1, 1970.
 */
export const CALENDAR = `
local DAY = 86400000
local function calendar()

  local function monthOf(day)
    local ofEra = (day + 719468) % 146097
    local year = math.floor((ofEra - math.floor(ofEra / 1460) + math.floor(ofEra / 36524) - math.floor(ofEra / 146096)) / 365)
    local ofYear = ofEra - (365 * year + math.floor(year / 4) - math.floor(year / 100))
    local month = math.floor((5 * ofYear + 2) / 153)
    local years = (day + 719468 - ofEra) / 146097 * 400 + year - 1970
    return years * 12 + month + 2, day - (ofYear - math.floor((153 * month + 2) / 5))
  end

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

  return windowStart, windowEnd, monthOf
end
`;

import { forgetRows, ON_INDEXES, reader } from './on-indexes.js';

/** How rates are counted, and how rows of counters that are for nothing else are forgotten. */
export const ADMISSION_FUNCTIONS = /* sql */ `
-- How much of a rate is used at a moment: the formula of every ledger, in the same order, so that all come to the same number. Null where there is no limit.
-- What has drained is forgotten, also where a slower limit is named now.
CREATE OR REPLACE FUNCTION rate_used_at(used float8, at_ms int8, drains_at_ms int8, rate rate_limit, now_ms int8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN rate.requests IS NULL THEN NULL WHEN drains_at_ms <= now_ms THEN 0 ELSE
    greatest(0, used - greatest(0, now_ms - at_ms)::float8 * rate.requests / rate.period_ms)
  END
$$;

-- Whether one more request fits, give or take what sums of doubles are off by. Null where there is no limit.
CREATE OR REPLACE FUNCTION fits_rate(used float8, rate rate_limit) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT used + 1 <= rate.requests + 1e-6::float8
$$;

-- What is used of the rates an operation names, as it is answered; null where it names none.
CREATE OR REPLACE FUNCTION rates_json(of_key float8, of_organization float8) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN of_key IS NOT NULL OR of_organization IS NOT NULL THEN json_build_object('key', of_key, 'organization', of_organization) END
$$;

-- When nothing is used of a rate any more: from then on a row that is there for this rate alone may go.
CREATE OR REPLACE FUNCTION drained_at_ms(used float8, rate rate_limit, now_ms int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT now_ms + ceil(used * rate.period_ms / rate.requests)::int8
$$;

-- Counts a request against its rates alone.
CREATE OR REPLACE FUNCTION admit_request(v operation, o organization_balances, k key_usages, now_ms int8) RETURNS outcome LANGUAGE plpgsql AS $$
DECLARE
  x outcome;
  key_used float8 := rate_used_at(k.rate_used, k.rate_at_ms, k.rate_drains_at_ms, v.key_rate, now_ms);
  organization_used float8 := rate_used_at(o.rate_used, o.rate_at_ms, o.rate_drains_at_ms, v.organization_rate, now_ms);
  refused_by text := CASE
    WHEN NOT fits_rate(key_used, v.key_rate) THEN 'key_rate'
    WHEN NOT fits_rate(organization_used, v.organization_rate) THEN 'organization_rate'
  END;
BEGIN
  IF refused_by IS NULL THEN
    x.key_rate_used := key_used + 1;
    x.organization_rate_used := organization_used + 1;
  ELSE
    x.key_rate_used := set_back_to(key_used, k.rate_at_ms, now_ms);
    x.organization_rate_used := set_back_to(organization_used, o.rate_at_ms, now_ms);
  END IF;
  x.answer := json_build_object('by', refused_by, 'ratesUsed',
    rates_json(coalesce(x.key_rate_used, key_used), coalesce(x.organization_rate_used, organization_used)));
  RETURN x;
END $$;

-- A refused request changes nothing. But where the clock was set back, what is used has to drain from the present on, not from when the clock is there again.
CREATE OR REPLACE FUNCTION set_back_to(used float8, at_ms int8, now_ms int8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN at_ms > now_ms THEN used END
$$;

${reader(
  'rates_used(the_organization text, the_key text, organization_rate json, key_rate json, given_now_ms int8)',
  `SELECT json_build_object('key', (
      SELECT rate_used_at(k.rate_used, k.rate_at_ms, k.rate_drains_at_ms, json_populate_record(NULL::rate_limit, key_rate), now_ms)
      FROM key_usages k WHERE k.key_id = the_key
    ), 'organization', (
      SELECT rate_used_at(o.rate_used, o.rate_at_ms, o.rate_drains_at_ms, json_populate_record(NULL::rate_limit, organization_rate), now_ms)
      FROM organization_balances o WHERE o.organization_id = the_organization
    )) FROM coalesce(given_now_ms, server_now_ms()) now_ms`,
)}
-- Forgets rows of counters that no money needs: those that are for nothing (0), or whose rate had drained at that time, and those of budgets that were
-- idle. At most so many of each table. With the rights of its owner: no other role may delete counters. @returns how many it forgot.
CREATE OR REPLACE FUNCTION forget_counters(until_ms int8, most int8) RETURNS int8 LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES} AS $$
DECLARE
  forgotten int8 := 0;
BEGIN
  -- First, since it waits for organizations.
  IF until_ms > 0 THEN forgotten := forget_budgets(until_ms, most); END IF;
  ${forgetRows('organization_balances', 'forget_at_ms', '<= until_ms')}
  ${forgetRows('key_usages', 'forget_at_ms', '<= until_ms')}
  RETURN forgotten;
END $$;
`;

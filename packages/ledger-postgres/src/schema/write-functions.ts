import { perWindow } from './per-window.js';

/** Columns of counters that every operation may change. */
const COUNTED = 'usage, held, in_flight, latest_entry_ms, rate_used, rate_at_ms, rate_drains_at_ms, forget_at_ms';

/** All but the position. */
const ENTRY = `at_ms, kind, id, organization_id, key_id, amount, note, model, provider, cost_source, late, reason, token, upstream_cost, tag, budgets, tenant_cost`;

/** The columns of an update, as a row has them. */
export function assigned(columns: string, row: string): string {
  return columns.replace(/\w+/g, (column) => `${column} = ${row}.${column}`);
}

/** How what a batch has decided is written: each table in one statement. */
export const WRITE_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION write_counters(organizations organization_balances[], keys key_usages[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE organization_balances b SET ${assigned(`${COUNTED}, credits, budgets`, 'o')}
    FROM unnest(organizations) o WHERE b.organization_id = o.organization_id AND b IS DISTINCT FROM o;
  UPDATE key_usages b SET ${assigned(COUNTED, 'k')}, ${perWindow('usage_before_@ = k.usage_before_@')}
    FROM unnest(keys) k WHERE b.key_id = k.key_id AND b IS DISTINCT FROM k;
END $$;

CREATE OR REPLACE FUNCTION write_holds(placed holds[], ended holds[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  inserted int8;
BEGIN
  IF cardinality(placed) > 0 THEN
    INSERT INTO holds SELECT p.* FROM unnest(placed) p ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    IF inserted < cardinality(placed) THEN PERFORM send_again(); END IF;
  END IF;
  IF cardinality(ended) > 0 THEN
    UPDATE holds h SET ${assigned('status, charged, ended_at_ms, ending_token, served_model, provider', 'e')}
    FROM unnest(ended) e WHERE h.hold_id = e.hold_id;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION write_entries(written entries[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(written) > 0 THEN
    INSERT INTO entries (${ENTRY}) SELECT ${ENTRY}
      FROM unnest(written) e;
  END IF;
END $$;

-- Another process, whose counters are not locked here, may use an id at the same moment for another organization. Then the batch is sent again, and sees it.
CREATE OR REPLACE FUNCTION send_again() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an id was used by another batch at the same time' USING ERRCODE = 'serialization_failure';
END $$;
`;

import { forgetter, ON_INDEXES } from './on-indexes.js';
import { assigned } from './write-functions.js';

/** What a claim that is made or completed changes: nothing of the one before stays. */
const TAKEN = assigned('organization_id, claim_id, fingerprint, until_ms, status, body, freeing_token', 'excluded');

/** How claims of `Idempotency-Key`s are made and end. */
export const CLAIM_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION apply_claims(operations json, given_now_ms int8, process_now_ms int8) RETURNS json LANGUAGE plpgsql
${ON_INDEXES} AS $$
DECLARE
  skew_ms int8 := coalesce(server_now_ms() - process_now_ms, 0);
  results json[] := array_fill(NULL::json, ARRAY[json_array_length(operations)]);
  v record;
  c claims;
BEGIN
  -- Always in the same order, so that batches cannot wait for each other in a circle.
  FOR v IN
    SELECT * FROM ROWS FROM (json_to_recordset(operations) AS (
      operation text, organization_id text, key_id text, idempotency_key text, claim_id text, fingerprint text, now_ms int8, until_ms int8, status int4,
      body text, token uuid
    )) WITH ORDINALITY
    ORDER BY key_id COLLATE "C", idempotency_key COLLATE "C", ordinality
  LOOP
    c := ROW(v.key_id, v.idempotency_key, v.claim_id, v.fingerprint, v.until_ms + skew_ms, v.status, v.body, v.token, v.organization_id);
    results[v.ordinality] := CASE v.operation
      WHEN 'claim' THEN claim_name(c, v.now_ms + skew_ms)
      WHEN 'complete' THEN to_json(complete_claim(c))
      ELSE to_json(free_claim(c))
    END;
  END LOOP;
  RETURN array_to_json(results);
END $$;

CREATE OR REPLACE FUNCTION claim_name(claim claims, now_ms int8) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  present claims;
BEGIN
  INSERT INTO claims AS c SELECT claim.*
    ON CONFLICT (key_id, idempotency_key) DO UPDATE SET ${TAKEN}
      WHERE c.until_ms <= now_ms OR (c.claim_id = excluded.claim_id AND c.status IS NULL);
  IF FOUND THEN RETURN json_build_object('status', 'claimed'); END IF;
  SELECT * INTO present FROM claims c WHERE c.key_id = claim.key_id AND c.idempotency_key = claim.idempotency_key;
  IF present.fingerprint <> claim.fingerprint THEN RETURN json_build_object('status', 'mismatch'); END IF;
  IF present.status IS NULL THEN RETURN json_build_object('status', 'in_progress'); END IF;
  RETURN json_build_object('status', 'finished', 'responseStatus', present.status, 'body', present.body);
END $$;

CREATE OR REPLACE FUNCTION complete_claim(claim claims) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO claims AS c SELECT claim.*
    ON CONFLICT (key_id, idempotency_key) DO UPDATE SET ${TAKEN}
      WHERE c.status IS NULL AND (c.fingerprint = excluded.fingerprint OR c.freeing_token IS NOT NULL);
  -- Completed by the same claim before: its response stands.
  RETURN FOUND OR EXISTS (
    SELECT FROM claims c
    WHERE c.key_id = claim.key_id AND c.idempotency_key = claim.idempotency_key AND c.claim_id = claim.claim_id AND c.status IS NOT NULL
  );
END $$;

CREATE OR REPLACE FUNCTION free_claim(claim claims) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE claims c SET until_ms = 0, freeing_token = claim.freeing_token
    WHERE c.key_id = claim.key_id AND c.idempotency_key = claim.idempotency_key AND c.claim_id = claim.claim_id AND c.status IS NULL
      AND (c.freeing_token IS NULL OR c.freeing_token = claim.freeing_token);
  RETURN FOUND;
END $$;

-- Takes the responses of an organization away, among at most so many names behind a place. No claim has an empty id or fingerprint, so none can complete
-- such a name; one that was finished stays for a minute, or a completion that is sent again would bring the response back.
-- @returns how many names it had, and the last place; null where there are no more names.
CREATE OR REPLACE FUNCTION erase_claims(of_organization text, after_key text, after_name text, most int8, given_now_ms int8) RETURNS json
LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  kept_until_ms int8 := coalesce(given_now_ms, server_now_ms()) + 60000;
  last claims;
  erased int8;
BEGIN
  SELECT * INTO last FROM (
    SELECT * FROM claims c WHERE (c.key_id, c.idempotency_key) > (after_key, after_name) ORDER BY c.key_id, c.idempotency_key LIMIT most
  ) slice ORDER BY key_id DESC, idempotency_key DESC LIMIT 1;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE claims c SET claim_id = '', fingerprint = '', status = NULL, body = NULL, freeing_token = NULL,
    until_ms = CASE WHEN c.status IS NULL THEN c.until_ms ELSE least(c.until_ms, kept_until_ms) END
    WHERE (c.key_id, c.idempotency_key) > (after_key, after_name) AND (c.key_id, c.idempotency_key) <= (last.key_id, last.idempotency_key)
      AND c.organization_id = of_organization;
  GET DIAGNOSTICS erased = ROW_COUNT;
  RETURN json_build_object('erased', erased, 'afterKey', last.key_id, 'afterName', last.idempotency_key);
END $$;

-- Forgets at most so many names that are free again. @returns how many it forgot.
${forgetter('forget_claims(most int8, given_now_ms int8)', { table: 'claims', atMs: 'until_ms', keepMs: '0' })}`;

import { forgetRows, ON_INDEXES, reader } from './on-indexes.js';

/** The step that adds questions and answers of calls. */
export const REQUEST_TEXTS = /* sql */ `
CREATE TABLE IF NOT EXISTS request_texts (
  request_id text COLLATE "C" PRIMARY KEY,
  at_ms int8 NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  tag text COLLATE "C",
  question text NOT NULL,
  answer text,
  is_cut boolean NOT NULL
);
CREATE INDEX IF NOT EXISTS request_texts_by_time ON request_texts (at_ms);
CREATE INDEX IF NOT EXISTS request_texts_by_organization ON request_texts (organization_id, request_id);
`;

const TEXT = `json_build_object('requestId', request_id, 'atMs', at_ms, 'organizationId', organization_id, 'keyId', key_id, 'tag', tag,
  'question', question, 'answer', answer, 'isCut', is_cut)`;

/** How questions and answers are kept. The rights to remove them are the owner's: these functions lend them. */
export const REQUEST_TEXT_FUNCTIONS = /* sql */ `
-- Whichever version of the package removes a call.
CREATE OR REPLACE FUNCTION remove_texts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES} SET jit = off AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN DELETE FROM request_texts;
  ELSE DELETE FROM request_texts WHERE request_id = ANY (ARRAY(SELECT request_id FROM changed));
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS remove_texts ON requests;
DROP TRIGGER IF EXISTS remove_all_texts ON requests;
CREATE TRIGGER remove_texts AFTER DELETE ON requests REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION remove_texts();
CREATE TRIGGER remove_all_texts AFTER TRUNCATE ON requests FOR EACH STATEMENT EXECUTE FUNCTION remove_texts();

CREATE OR REPLACE FUNCTION append_request_texts(added json) RETURNS json LANGUAGE plpgsql ${ON_INDEXES} SET jit = off AS $$
BEGIN
  INSERT INTO request_texts SELECT * FROM json_populate_recordset(NULL::request_texts, added) ON CONFLICT (request_id) DO NOTHING;
  RETURN NULL;
END $$;

${reader(
  'find_request_texts(ids json)',
  `SELECT json_agg(${TEXT}) FROM request_texts WHERE request_id = ANY (ARRAY(SELECT json_array_elements_text(ids)))`,
)}
-- Removes at most so many texts of calls that ended before a time. @returns how many.
CREATE OR REPLACE FUNCTION prune_request_texts(before_ms int8, most int8) RETURNS int8 LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES} SET jit = off AS $$
DECLARE
  forgotten int8 := 0;
BEGIN
  ${forgetRows('request_texts', 'at_ms', '< before_ms')}
  RETURN forgotten;
END $$;

-- Removes those that fit of the next so many texts of an organization. @returns how many and the last place, or null where no text follows.
CREATE OR REPLACE FUNCTION erase_request_texts(of_organization text, of_key text, of_tag text, after_id text, most int8) RETURNS json
LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES} SET jit = off AS $$
DECLARE
  answer json;
BEGIN
  WITH slice AS (
    SELECT request_id, key_id, tag FROM request_texts
    WHERE (organization_id, request_id) > (of_organization COLLATE "C", after_id COLLATE "C") AND organization_id <= of_organization
    ORDER BY organization_id, request_id LIMIT most
  ), gone AS (
    DELETE FROM request_texts WHERE request_id = ANY (ARRAY(
      SELECT request_id FROM slice WHERE (of_key IS NULL OR key_id = of_key) AND (of_tag IS NULL OR tag = of_tag)
    )) RETURNING 1
  )
  SELECT json_build_object('erased', (SELECT count(*) FROM gone), 'afterId', request_id) INTO answer
    FROM slice ORDER BY request_id DESC LIMIT 1;
  RETURN answer;
END $$;
`;

/** Questions and answers of calls. A call that goes takes its text with it, whichever version of the package removes it. */
export const TEXTS_OF_REQUESTS = `
CREATE TABLE IF NOT EXISTS searchgate_request_texts (
  request_id TEXT PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  organization_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  tag TEXT,
  question TEXT NOT NULL,
  answer TEXT,
  is_cut INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS searchgate_request_texts_by_time ON searchgate_request_texts (at_ms);
CREATE INDEX IF NOT EXISTS searchgate_request_texts_by_organization ON searchgate_request_texts (organization_id, request_id);
CREATE TRIGGER IF NOT EXISTS searchgate_request_texts_removed AFTER DELETE ON searchgate_requests BEGIN
  DELETE FROM searchgate_request_texts WHERE request_id = old.request_id;
END;
`;

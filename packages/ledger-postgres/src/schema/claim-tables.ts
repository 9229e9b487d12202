/** Claims of `Idempotency-Key`s. A row is a name that is claimed or finished until `until_ms`; after that it is free, whether the row is there or not. */
export const CLAIM_TABLES = /* sql */ `
CREATE TABLE claims (
  key_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  claim_id text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  until_ms int8 NOT NULL,
  -- Both set when the claim is finished. The body is a JSON text, which unlike the body itself can hold every character.
  status int4,
  body text,
  -- Which call freed it, so that a call that is sent again after its answer was lost recognizes its own work.
  freeing_token uuid,
  PRIMARY KEY (key_id, idempotency_key)
);
CREATE INDEX claims_over ON claims (until_ms);
`;

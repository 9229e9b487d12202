/**
 * What every change of the ledger goes through. It checks that the caller knows this version of the schema, and sees to the isolation: in a
 * transaction that began as REPEATABLE READ or SERIALIZABLE, what waited for a lock would not see what the one before it did, and fail. A procedure
 * may end the empty transaction it was called in and begin another, which costs no round trip and needs no setting of the session, so that it also
 * works through a PgBouncer: https://www.postgresql.org/docs/15/plpgsql-transactions.html (2026-11-22).
 *
 * It has no settings of its own, since with them it could not end a transaction; so it names everything with its schema.
 *
 * Its arguments never change: processes of other versions call it, and get an error that says so.
 */
export const WRITE_PROCEDURE = /* sql */ `
CREATE OR REPLACE PROCEDURE apply_write(version int4, operation text, arguments json, given_now_ms int8, process_now_ms int8, INOUT answer text)
LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  IF version <> @version@ THEN
    RAISE EXCEPTION 'the schema is at version @version@' USING ERRCODE = 'undefined_object';
  END IF;
  -- Keeps a migration waiting until this transaction has ended.
  PERFORM FROM @schema@.version_@version@;
  -- One branch after the other: of an expression with all of them, PostgreSQL would prepare each in every transaction.
  IF operation = 'apply_operations' THEN
    answer := @schema@.apply_operations(arguments, given_now_ms, process_now_ms);
  ELSIF operation = 'apply_claims' THEN
    answer := @schema@.apply_claims(arguments, given_now_ms, process_now_ms);
  ELSIF operation = 'expire_due_holds' THEN
    answer := @schema@.expire_due_holds((arguments ->> 'dueMs')::int8, (arguments ->> 'most')::int8, given_now_ms, process_now_ms);
  ELSIF operation = 'forget_ended_holds' THEN
    answer := @schema@.forget_ended_holds((arguments ->> 'keepMs')::int8, (arguments ->> 'most')::int8, given_now_ms);
  ELSIF operation = 'forget_claims' THEN
    answer := @schema@.forget_claims((arguments ->> 'most')::int8, given_now_ms);
  ELSIF operation = 'forget_counters' THEN
    answer := @schema@.forget_counters(coalesce(given_now_ms, @schema@.server_now_ms()), (arguments ->> 'most')::int8);
  ELSIF operation = 'remove_entries' THEN
    answer := @schema@.remove_entries(
      (arguments ->> 'afterMs')::int8, (arguments ->> 'afterPosition')::int8, (arguments ->> 'toMs')::int8, (arguments ->> 'toPosition')::int8,
      (arguments ->> 'most')::int8
    );
  ELSIF operation = 'insert_key' THEN
    answer := to_json(@schema@.insert_key(arguments -> 'key', (arguments ->> 'token')::uuid));
  ELSIF operation = 'update_key' THEN
    answer := @schema@.update_key(arguments ->> 'id', arguments -> 'change');
  ELSIF operation = 'insert_organization' THEN
    answer := to_json(@schema@.insert_organization(arguments -> 'organization', (arguments ->> 'token')::uuid));
  ELSIF operation = 'update_organization' THEN
    answer := @schema@.update_organization(arguments ->> 'id', arguments -> 'change');
  END IF;
END $$;
`;

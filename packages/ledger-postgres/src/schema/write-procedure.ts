const text = (field: string) => `arguments ->> '${field}'`;
const whole = (field: string) => `(${text(field)})::int8`;
const TOKEN = `(${text('token')})::uuid`;

/** The functions that `apply_write` calls, by their names, with the values of each. */
const WRITES = {
  apply_operations: ['arguments', 'given_now_ms', 'process_now_ms'],
  apply_claims: ['arguments', 'given_now_ms', 'process_now_ms'],
  expire_due_holds: [whole('dueMs'), whole('most'), 'given_now_ms', 'process_now_ms'],
  forget_ended_holds: [whole('keepMs'), whole('most'), 'given_now_ms'],
  forget_claims: [whole('most'), 'given_now_ms'],
  erase_claims: [text('organizationId'), text('afterKey'), text('afterName'), whole('most'), 'given_now_ms'],
  forget_counters: ['coalesce(given_now_ms, @schema@.server_now_ms())', whole('most')],
  remove_entries: ['afterMs', 'afterPosition', 'toMs', 'toPosition', 'most'].map(whole),
  insert_key: ["arguments -> 'key'", TOKEN],
  update_key: [text('id'), "arguments -> 'change'"],
  insert_organization: ["arguments -> 'organization'", TOKEN],
  update_organization: [text('id'), "arguments -> 'change'"],
  set_budget: ['arguments'],
  delete_budget: [text('organizationId'), text('id')],
  put_tenant_key: ["arguments -> 'key'", text('before')],
  delete_tenant_key: [text('organizationId'), text('providerId')],
  keep_change: ['arguments'],
  beat: ['arguments'],
  erase_changes: [text('organizationId')],
  // Of an older process the calls alone.
  append_requests: ["coalesce(arguments -> 'rows', arguments)", "arguments -> 'sums'", text('pending')],
  merge_request_sums: [...['first', 'last', 'batches'].map(whole), "arguments -> 'sums'"],
  append_request_texts: ["arguments -> 'texts'"],
  prune_request_texts: [whole('beforeMs'), whole('most')],
  erase_request_texts: [...['organizationId', 'keyId', 'tag', 'afterId'].map(text), whole('most')],
  prune_requests: [whole('beforeMs'), whole('maxRows'), whole('most')],
  prune_request_sums: [whole('hour'), whole('day'), whole('most')],
  erase_requests: [text('organizationId'), whole('most')],
  erase_request_sums: [text('organizationId'), whole('most')],
  erase_budget_of_requests: [text('organizationId'), text('budget'), whole('afterMs'), text('afterId'), whole('most')],
};

const BRANCHES = Object.entries(WRITES)
  .map(([name, values]) => `IF operation = '${name}' THEN answer := to_json(@schema@.${name}(${values.join(', ')}));`)
  .join('\n  ELS');

/**
 * What every change of the ledger goes through. It checks that the schema serves the caller's version, and sees to the isolation: in a
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
  @look_for_version@
  ELSE RAISE EXCEPTION 'the schema is at version @version@' USING ERRCODE = 'undefined_object';
  END IF;
  -- One branch after the other: of an expression with all of them, PostgreSQL would prepare each in every transaction.
  ${BRANCHES}
  END IF;
END $$;
`;

import type { DurableLedgerEngine, RequestText } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import { readSlices } from '../engine/next-turn.js';
import { flag, plain, rowsOf, whole } from '../engine/rows.js';

const TABLE = 'searchgate_request_texts';
/** Most texts that are removed, or looked at, in one turn of the event loop. */
const MAX_REMOVED = 100;

const TEXTS = rowsOf<RequestText>({
  requestId: plain('request_id'),
  atMs: whole('at_ms'),
  organizationId: plain('organization_id'),
  keyId: plain('key_id'),
  tag: plain('tag'),
  question: plain('question'),
  answer: plain('answer'),
  isCut: flag('is_cut'),
});

const INSERT = `INSERT INTO ${TABLE} (${TEXTS.columns}) VALUES (${TEXTS.marks}) ON CONFLICT (request_id) DO NOTHING`;
const GET = `SELECT ${TEXTS.columns} FROM ${TABLE} WHERE request_id = ?`;
const REMOVE_OLD = `DELETE FROM ${TABLE} WHERE rowid IN (SELECT rowid FROM ${TABLE} WHERE at_ms < ? ORDER BY at_ms LIMIT ${MAX_REMOVED})`;
const REMOVE = `DELETE FROM ${TABLE} WHERE request_id = ?`;
const NEXT = `SELECT request_id, key_id, tag FROM ${TABLE}
  WHERE organization_id = ? AND request_id > ? ORDER BY request_id LIMIT ${MAX_REMOVED}`;

/** The questions and answers of calls in the ledger's database. */
export function sqliteTexts({ read, write }: Access): DurableLedgerEngine['requests']['texts'] {
  return {
    append: (texts) =>
      write(({ connection }) => {
        for (const text of texts) connection.statement(INSERT).run(...TEXTS.valuesOf(text));
      }),
    find: (ids) =>
      read((connection) =>
        ids.flatMap((id) => {
          const row = connection.tuples(GET).get(id);
          return row === undefined ? [] : [TEXTS.recordOf(row)];
        }),
      ),
    prune: (beforeMs) => write(({ connection }) => connection.statement(REMOVE_OLD).run(BigInt(Math.ceil(beforeMs)))),
    async erase({ organizationId, keyId, tag }) {
      type Row = readonly [requestId: string, keyId: string, tag: string | null];
      let erased = 0;
      const slices = readSlices(MAX_REMOVED, (last: Row | undefined) =>
        read((connection) => connection.tuples<Row>(NEXT).all(organizationId, last?.[0] ?? '')),
      );
      for await (const rows of slices) {
        const gone = rows.filter((row) => row[1] === (keyId ?? row[1]) && row[2] === (tag ?? row[2]));
        if (gone.length === 0) continue;
        erased += await write(({ connection }) =>
          gone.reduce((sum, [id]) => sum + connection.statement(REMOVE).run(id), 0),
        );
      }
      return erased;
    },
  };
}

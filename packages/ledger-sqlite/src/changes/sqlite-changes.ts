import type { AuditLogEngine, InstanceBoardEngine } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';

const KEEP = 'INSERT OR REPLACE INTO searchgate_changes (id, organization_id, text) VALUES (?, ?, ?)';
const FORGET = `DELETE FROM searchgate_changes WHERE id IN
  (SELECT id FROM searchgate_changes WHERE id < ? ORDER BY id LIMIT 100)`;
const NEWEST = 'SELECT text FROM searchgate_changes WHERE id < ? ORDER BY id DESC LIMIT ?';
const ERASE = 'DELETE FROM searchgate_changes WHERE organization_id = ?';

/** The record of changes in the ledger's database. */
export function sqliteChanges({ read, write }: Access): AuditLogEngine {
  return {
    keep: ({ id, organizationId, text }, oldestId) =>
      write(({ connection }) => {
        connection.statement(KEEP).run(id, organizationId, text);
        connection.statement(FORGET).run(oldestId);
      }),
    newest: (beforeId, most) =>
      read((connection) =>
        connection
          .tuples<readonly [string]>(NEWEST)
          .all(beforeId, BigInt(most))
          .map(([text]) => text),
      ),
    erase: (organizationId) => write(({ connection }) => connection.statement(ERASE).run(organizationId)),
  };
}

const BEAT = 'INSERT OR REPLACE INTO searchgate_instances (id, seen_at_ms, text) VALUES (?, ?, ?)';
const FORGET_DEAD = 'DELETE FROM searchgate_instances WHERE seen_at_ms < ?';
const LIVING =
  'SELECT text FROM searchgate_instances INDEXED BY searchgate_instances_by_time WHERE seen_at_ms >= ? ORDER BY seen_at_ms DESC LIMIT 100';

/** The processes that share the ledger's database. */
export function sqliteInstances({ read, write }: Access): InstanceBoardEngine {
  const living = (connection: Connection, sinceMs: number) =>
    connection
      .tuples<readonly [string]>(LIVING)
      .all(BigInt(sinceMs))
      .map(([text]) => text);
  return {
    beat: ({ id, seenAtMs, text }, beforeMs) =>
      write(({ connection }) => {
        connection.statement(BEAT).run(id, BigInt(seenAtMs), text);
        connection.statement(FORGET_DEAD).run(BigInt(beforeMs));
        return living(connection, beforeMs);
      }),
    living: (sinceMs) => read((connection) => living(connection, sinceMs)),
  };
}

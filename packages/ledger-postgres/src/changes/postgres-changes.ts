import type { AuditLogEngine, InstanceBoardEngine } from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';

/** The record of changes in the ledger's database. */
export function postgresChanges({ read, write }: Database): AuditLogEngine {
  return {
    async keep(row, oldestId) {
      await write('keep_change', { ...row, oldestId });
    },
    newest: async (beforeId, most) => (await read<string[]>('newest_changes', () => [beforeId, most])) ?? [],
    erase: async (organizationId) => (await write<number>('erase_changes', { organizationId })) ?? 0,
  };
}

/** The processes that share the ledger's database. */
export function postgresInstances({ read, write }: Database): InstanceBoardEngine {
  return {
    beat: async (row, beforeMs) => (await write<string[]>('beat', { ...row, beforeMs })) ?? [],
    living: async (sinceMs) => (await read<string[]>('living', () => [sinceMs])) ?? [],
  };
}

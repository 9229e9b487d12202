import type { AuditLogEngine, InstanceBoardEngine } from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { BEAT, ERASE_CHANGES, KEEP_CHANGE, NEWEST_CHANGES } from '../scripts/change-scripts.js';

/** How many records one script looks at: about a millisecond in which Redis serves no one else. */
const AT_ONCE = 200;

/** The newest records of changes. */
export function redisChanges({ run }: Scripts): AuditLogEngine {
  return {
    async keep({ id, organizationId, text }, oldestId) {
      await run(KEEP_CHANGE, [id, `${organizationId}\n${text}`, oldestId]);
    },
    newest: async (beforeId, most) =>
      (await run(NEWEST_CHANGES, [beforeId, `${most}`])).map((record) => record.slice(record.indexOf('\n') + 1)),
    async erase(organizationId) {
      let [erased, afterId] = [0, ''];
      do {
        const [removed, last = ''] = await run(ERASE_CHANGES, [organizationId, afterId, `${AT_ONCE}`]);
        erased += Number(removed);
        afterId = last;
      } while (afterId !== '');
      return erased;
    },
  };
}

/** The processes that share the ledger's keys. */
export function redisInstances({ run }: Scripts): InstanceBoardEngine {
  return {
    beat: ({ id, seenAtMs, text }, beforeMs) => run(BEAT, [id, `${seenAtMs}`, text, `${beforeMs}`]),
    living: (sinceMs) => run(BEAT, ['', '', '', `${sinceMs}`]),
  };
}

import type { DurableLedgerEngine, RequestText } from '@searchgate/core/ledger';
import { columnsOf } from '../engine/column-of.js';
import type { Database } from '../engine/database.js';
import { eraseSlices } from '../engine/erase-slices.js';

/** Most texts that are removed in one transaction. */
const MAX_REMOVED = 500;

/** The questions and answers of calls in the ledger's database. */
export function postgresTexts({ read, write }: Database): DurableLedgerEngine['requests']['texts'] {
  return {
    async append(texts) {
      if (texts.length > 0) await write('append_request_texts', { texts: texts.map(columnsOf) });
    },
    find: async (ids) => (await read<RequestText[]>('find_request_texts', () => [JSON.stringify(ids)])) ?? [],
    prune: async (beforeMs) =>
      (await write<number>('prune_request_texts', { beforeMs: Math.ceil(beforeMs), most: MAX_REMOVED })) ?? 0,
    erase: (owner) => eraseSlices(write, 'erase_request_texts', { ...owner, afterId: '', most: MAX_REMOVED }),
  };
}

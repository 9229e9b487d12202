import type { DurableLedgerEngine, RequestText } from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { APPEND_TEXTS, FIND_TEXTS, LIST_TEXTS, PRUNE_TEXTS, REMOVE_TEXTS } from '../scripts/text-scripts.js';

/** How many texts one script touches: about a millisecond in which Redis serves no one else. */
const AT_ONCE = 100;

/** The questions and answers of the newest calls of each organization. */
export function redisTexts({ run }: Scripts): DurableLedgerEngine['requests']['texts'] {
  return {
    async append(texts) {
      for (let from = 0; from < texts.length; from += AT_ONCE)
        await run(APPEND_TEXTS, texts.slice(from, from + AT_ONCE).flatMap(valuesOf));
    },
    find: async (ids) => (await run(FIND_TEXTS, ids)).map(textOf),
    prune: async (beforeMs) => Number((await run(PRUNE_TEXTS, [`${Math.ceil(beforeMs)}`, `${AT_ONCE}`]))[0]),
    async erase({ organizationId, keyId, tag }) {
      let erased = 0;
      let place = '';
      do {
        const [next = '', ...texts] = await run(LIST_TEXTS, [organizationId, place, `${AT_ONCE}`]);
        const gone = texts
          .map(textOf)
          .filter((text) => text.keyId === (keyId ?? text.keyId) && text.tag === (tag ?? text.tag));
        const ids = gone.map(({ requestId }) => requestId);
        erased += Number((await run(REMOVE_TEXTS, ids))[0]);
        place = next;
      } while (place !== '');
      return erased;
    },
  };
}

function valuesOf(text: RequestText): readonly string[] {
  const { requestId, atMs, organizationId } = text;
  return [requestId, `${atMs}`, organizationId, `${organizationId}\n${JSON.stringify(text)}`];
}

function textOf(stored: string): RequestText {
  return JSON.parse(stored.slice(stored.indexOf('\n') + 1)) as RequestText;
}

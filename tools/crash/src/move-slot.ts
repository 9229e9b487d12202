import { Redis } from 'ioredis';

export interface SlotMove {
  /** URLs of all nodes of the Cluster. */
  readonly nodes: readonly string[];
  /** A key of the slot. */
  readonly key: string;
  /** Awaited after each of the first `pauses` keys. */
  readonly between: () => Promise<unknown>;
  readonly pauses: number;
}

/**
 * Moves a slot to the next node of a Cluster like an operator (https://redis.io/docs/latest/commands/cluster-setslot/, read 2026-11-22), key by key, so
 * that two nodes share the slot for a while. @returns the number of moved keys.
 */
export async function moveSlot({ nodes, key, between, pauses }: SlotMove): Promise<number> {
  const clients = nodes.map((url) => new Redis(url));
  try {
    const slot = await clients[0]?.cluster('KEYSLOT', key);
    const ids = await Promise.all(clients.map((client) => client.call('CLUSTER', 'MYID') as Promise<string>));
    const owned = await Promise.all(clients.map((client) => ownsSlot(client, Number(slot))));
    const from = owned.indexOf(true);
    const to = (from + 1) % clients.length;
    const [source, target] = [clients[from], clients[to]];
    if (source === undefined || target === undefined) throw new Error(`no node owns slot ${slot}`);
    await target.call('CLUSTER', 'SETSLOT', `${slot}`, 'IMPORTING', `${ids[from]}`);
    await source.call('CLUSTER', 'SETSLOT', `${slot}`, 'MIGRATING', `${ids[to]}`);
    const moved = await moveKeys({ source, target: new URL(nodes[to] ?? ''), slot: `${slot}` }, { between, pauses });
    for (const client of [target, source, ...clients]) {
      await client.call('CLUSTER', 'SETSLOT', `${slot}`, 'NODE', `${ids[to]}`);
    }
    return moved;
  } finally {
    for (const client of clients) client.disconnect();
  }
}

interface OpenSlot {
  readonly source: Redis;
  readonly target: URL;
  readonly slot: string;
}

async function moveKeys({ source, target, slot }: OpenSlot, { between, pauses }: Pick<SlotMove, 'between' | 'pauses'>) {
  const keyIn = async () => ((await source.call('CLUSTER', 'GETKEYSINSLOT', slot, '1')) as string[])[0];
  let moved = 0;
  for (let key = await keyIn(); key !== undefined; key = await keyIn()) {
    await source.call('MIGRATE', target.hostname, target.port, key, '0', '10000');
    moved += 1;
    if (moved <= pauses) await between();
  }
  return moved;
}

/** Whether a node claims the slot for itself: in CLUSTER NODES its own line says `myself`. */
async function ownsSlot(client: Redis, slot: number): Promise<boolean> {
  const lines = String(await client.call('CLUSTER', 'NODES')).split('\n');
  const own = lines.find((line) => line.includes('myself')) ?? '';
  return own
    .split(' ')
    .slice(8)
    .filter((range) => !range.startsWith('['))
    .some((range) => {
      const [first = '', last = first] = range.split('-');
      return Number(first) <= slot && slot <= Number(last);
    });
}

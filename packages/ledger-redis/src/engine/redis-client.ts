/**
 * The host's client, by the few methods that are used of it: ioredis 5 or 6 (also its `Cluster`), or a client, pool or cluster of redis
 * (node-redis) 5 or 6. It stays the host's: connecting, TLS, reconnecting and closing are not the ledger's business.
 */
export type RedisClient = IoRedisClient | NodeRedisClient | NodeRedisCluster;

/** ioredis: `new Redis(url)` or `new Redis.Cluster(nodes)`. */
export interface IoRedisClient {
  /** Sends any command. */
  call(command: string, ...values: string[]): Promise<unknown>;
}

/** redis: `await createClient({ url }).connect()`, or a pool. */
export interface NodeRedisClient {
  /** Sends any command, with its name as the first word. */
  sendCommand(words: string[]): Promise<unknown>;
}

/** redis: `await createCluster({ rootNodes }).connect()`. */
export interface NodeRedisCluster {
  /** Only a cluster has it: it tells the two clients apart. */
  readonly masters: unknown;
  /** Sends any command to the node of the key. */
  sendCommand(firstKey: string, isReadonly: boolean, words: string[]): Promise<unknown>;
}

/** Evaluates a script: `EVALSHA` or `EVAL`, the script or its hash, and what it is given. */
export type Evaluate = (command: 'EVAL' | 'EVALSHA', script: string, call: ScriptCall) => Promise<unknown>;

export interface ScriptCall {
  /** All of one slot. */
  readonly keys: readonly [string, ...string[]];
  readonly values: readonly string[];
}

/** Tells a client by its methods. ioredis has a `sendCommand` too, which takes something else. */
export function evaluateBy(client: RedisClient): Evaluate {
  const words = ({ keys, values }: ScriptCall) => [`${keys.length}`, ...keys, ...values];
  if ('call' in client) return (command, script, call) => client.call(command, script, ...words(call));
  if ('masters' in client) {
    return (command, script, call) => client.sendCommand(call.keys[0], false, [command, script, ...words(call)]);
  }
  return (command, script, call) => client.sendCommand([command, script, ...words(call)]);
}

/** Whether a value has what {@link RedisClient} needs. */
export function isRedisClient(value: unknown): value is RedisClient {
  const { call, sendCommand } = (value ?? {}) as { readonly call?: unknown; readonly sendCommand?: unknown };
  return typeof call === 'function' || typeof sendCommand === 'function';
}

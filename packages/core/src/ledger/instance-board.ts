import { type EngineOf, type Interceptor, wrapOperations } from '../base/options/open-state.js';

/** A process that shares a ledger. */
export interface Instance {
  /** New with every start of the process. */
  readonly id: string;
  /** For people, such as the name of the host and the number of the process. */
  readonly name: string;
  /** In milliseconds since the Unix epoch, by its own clock. */
  readonly startedAtMs: number;
  /** When it last told, in milliseconds since the Unix epoch. */
  readonly seenAtMs: number;
  /** The version of the ledger's schema that it knows. Set by the board. */
  readonly schema?: number | undefined;
}

/** Where the processes that share a ledger tell that they live. */
export interface InstanceBoard {
  /** Tells that a process lives. @returns all that were seen in the last minute, with it, in the order of their starts; at most 100. */
  beat(instance: Instance): Promise<readonly Instance[]>;
  /** Tells nothing. @param nowMs milliseconds since the Unix epoch. @returns all that were seen in the minute before, as `beat` does. */
  living(nowMs: number): Promise<readonly Instance[]>;
}

/** The storage of an {@link InstanceBoard}. */
interface InstanceStorage {
  /** Keeps a text, or replaces it, and forgets those that were seen before a time, in one step. @returns up to 100 texts. */
  beat(
    row: { readonly id: string; readonly seenAtMs: number; readonly text: string },
    beforeMs: number,
  ): Promise<readonly string[]>;
  /** Changes nothing. @returns up to 100 texts that were seen at that time or later. */
  living(sinceMs: number): Promise<readonly string[]>;
}

/** The operations of an {@link InstanceBoard}. */
export type InstanceBoardEngine = EngineOf<InstanceStorage>;

const LIVES_MS = 60_000;

/** @param schema the version of the schema that this package knows. */
export function createInstanceBoard(
  engine: InstanceBoardEngine,
  { interceptor, schema }: { readonly interceptor: Interceptor; readonly schema: number },
): InstanceBoard {
  const { beat, living } = wrapOperations<InstanceStorage>(engine, ['beat', 'living'], { interceptor });
  return {
    async beat(instance) {
      const { id, seenAtMs } = instance;
      const row = { id, seenAtMs, text: JSON.stringify({ ...instance, schema }) };
      return instancesOf(await beat(row, seenAtMs - LIVES_MS));
    },
    living: async (nowMs) => instancesOf(await living(nowMs - LIVES_MS)),
  };
}

function instancesOf(texts: readonly string[]): readonly Instance[] {
  return texts.map((text) => JSON.parse(text) as Instance).sort((a, b) => a.startedAtMs - b.startedAtMs);
}

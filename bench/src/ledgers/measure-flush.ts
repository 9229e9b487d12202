import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import path from 'node:path';
import { figureAt } from '../statistics.js';

/** What a durable commit costs at least on the disk that the files of a run are on. */
export interface Flush {
  readonly p50Micros: number;
  /** A file system in memory: nothing is ever flushed, and no figure of a durable ledger means anything. */
  readonly inMemory: boolean;
}

const FLUSHES = 300;
const BLOCK = Buffer.alloc(8_192, 1);
const MICROS_PER_MS = 1_000;
/** What Linux calls the file systems tmpfs and ramfs. */
const IN_MEMORY = [0x01021994, 0x858458f6];

export function measureFlush(folder: string): Flush {
  const file = openSync(path.join(folder, 'flush'), 'w');
  const micros = new Float64Array(FLUSHES);
  for (let index = 0; index < FLUSHES; index += 1) {
    const startedMs = performance.now();
    writeSync(file, BLOCK);
    fdatasyncSync(file);
    micros[index] = (performance.now() - startedMs) * MICROS_PER_MS;
  }
  closeSync(file);
  return { p50Micros: figureAt(micros.sort(), 0.5), inMemory: IN_MEMORY.includes(statfsSync(folder).type) };
}

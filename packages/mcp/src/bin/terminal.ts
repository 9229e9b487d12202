import type { Readable, Writable } from 'node:stream';

/** What a program reads and writes. */
export interface Terminal {
  readonly stdin: Readable;
  /** Only protocol while it serves. */
  readonly stdout: Writable;
  readonly stderr: Writable;
}

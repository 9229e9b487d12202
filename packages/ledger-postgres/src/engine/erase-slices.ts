import type { Database } from './database.js';

/** What was erased in one transaction, and where the next begins. */
interface ErasedSlice {
  readonly erased: number;
}

/** Repeats an operation that answers with the place behind which it goes on, or `null` at the end. @returns how many it erased. */
export async function eraseSlices(write: Database['write'], operation: string, first: object): Promise<number> {
  let erased = 0;
  let slice: ErasedSlice | undefined = { erased: 0 };
  while (slice !== undefined) {
    erased += slice.erased;
    slice = await write<ErasedSlice>(operation, { ...first, ...slice });
  }
  return erased;
}

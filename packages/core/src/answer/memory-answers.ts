import { createOwnedEntries } from '../base/owned-entries.js';
import type { AnswerStore } from './answer-store.js';

/** What an entry takes besides its texts. */
const OVERHEAD_BYTES = 300;

/**
 * Keeps answers in this process: so many, and so many bytes. Where there is no room for all, the organization that has most loses those of its own that
 * were not asked for the longest. Who reads them looks at their age.
 */
export function memoryAnswers({ maxEntries, maxBytes }: { maxEntries: number; maxBytes: number }): AnswerStore {
  const answers = createOwnedEntries<string>({ maxEntries, maxBytes });
  return {
    get: (name) => Promise.resolve(answers.use(name)),
    // One that is larger than all may be is not kept, and neither is its predecessor.
    set(name, text) {
      // A name ends with the hash of the question; what is before is the same for all of an organization.
      const owner = name.slice(0, name.lastIndexOf(':'));
      const bytes = OVERHEAD_BYTES + 2 * (name.length + text.length);
      return Promise.resolve(answers.set(name, text, { owner, bytes }));
    },
  };
}

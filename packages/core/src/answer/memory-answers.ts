import { LRUCache } from 'lru-cache';
import type { AnswerStore } from './answer-store.js';

/** What an entry takes besides its texts. */
const OVERHEAD_BYTES = 300;

/** Keeps answers in this process: so many, and so many bytes. Those that were not asked for the longest go first. Who reads them looks at their age. */
export function memoryAnswers({ maxEntries, maxBytes }: { maxEntries: number; maxBytes: number }): AnswerStore {
  const answers = new LRUCache<string, string>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: (text, name) => OVERHEAD_BYTES + 2 * (name.length + text.length),
  });
  return {
    get: (name) => Promise.resolve(answers.get(name)),
    // One that is larger than all may be is not kept, and neither is its predecessor.
    set: (name, text) => Promise.resolve(answers.set(name, text).has(name)),
  };
}

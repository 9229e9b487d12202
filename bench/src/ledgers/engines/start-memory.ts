import type { StartEngine } from './engine.js';
import { startLedger } from './ledger-child.js';

export const startMemory: StartEngine = async ({ endings }) => {
  const { contender, ...ledger } = await startLedger('memory', endings);
  return { ...ledger, contenders: [contender], notes: [], references: { engineRate: null, singleRow: null } };
};

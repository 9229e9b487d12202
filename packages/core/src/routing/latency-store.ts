import { port } from '../options/option-schemas.js';
import type { LatencySnapshot } from './latency-snapshot.js';

/** Where a host keeps what latency routing has learned, so that a restart does not forget it. */
export interface LatencyStore {
  /** What was saved last, or `null` where nothing was. */
  load(): Promise<LatencySnapshot | null>;
  /** Replaces what was saved before. */
  save(snapshot: LatencySnapshot): Promise<void>;
}

/** The option of `createGateway` about what latency routing has learned. */
export interface LatencyStoreOption {
  /**
   * Keeps what latency routing has learned beyond a restart. Loaded in the background once the gateway is built, saved every 30 s and by
   * `close()`. No call waits for it; what fails is logged. Default: nothing is kept.
   */
  readonly latencyStore?: LatencyStore | undefined;
}

export const latencyStoreShape = {
  latencyStore: port<LatencyStore>(['load', 'save'], 'an object with load and save').optional(),
};

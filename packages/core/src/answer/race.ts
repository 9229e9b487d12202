import type { CallableModel } from '../catalog/catalog.js';

/** Attempts of one call that run side by side. The first one that brings content wins; the others are ended. */
export class Race {
  readonly #stops = new Map<CallableModel, () => void>();
  #winner: CallableModel | null = null;

  /** @param stop ends the attempt. */
  join(candidate: CallableModel, stop: () => void): void {
    this.#stops.set(candidate, stop);
  }

  /** Called for whatever reaches the caller. @returns whether it may. */
  claim(candidate: CallableModel): boolean {
    if (this.#winner === null) {
      this.#winner = candidate;
      for (const [other, stop] of this.#stops) if (other !== candidate) stop();
    }
    return this.#winner === candidate;
  }

  isLostBy(candidate: CallableModel): boolean {
    return this.#winner !== null && this.#winner !== candidate;
  }
}

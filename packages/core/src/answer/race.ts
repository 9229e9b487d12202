import type { RunnableModel } from '../catalog/catalog.js';

/** Attempts of one call that run side by side. The first one that brings content wins; the others are ended. */
export class Race {
  readonly #stops = new Map<RunnableModel, () => void>();
  #winner: RunnableModel | null = null;

  /** @param stop ends the attempt. */
  join(candidate: RunnableModel, stop: () => void): void {
    this.#stops.set(candidate, stop);
  }

  /** Called for whatever reaches the caller. @returns whether it may. */
  claim(candidate: RunnableModel): boolean {
    if (this.#winner === null) {
      this.#winner = candidate;
      for (const [other, stop] of this.#stops) if (other !== candidate) stop();
    }
    return this.#winner === candidate;
  }

  isLostBy(candidate: RunnableModel): boolean {
    return this.#winner !== null && this.#winner !== candidate;
  }
}

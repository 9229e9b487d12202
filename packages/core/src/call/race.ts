import type { CallableModel } from '../catalog/catalog.js';

/** Attempts of one call that run at the same time. The first attempt that delivers content wins; the others are stopped. */
export class Race {
  readonly #stops = new Map<CallableModel, () => void>();
  #winner: CallableModel | null = null;

  /** @param stop stops the attempt. */
  join(candidate: CallableModel, stop: () => void): void {
    this.#stops.set(candidate, stop);
  }

  /** Called before content reaches the caller: the first claim wins. @returns whether the candidate has won. */
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

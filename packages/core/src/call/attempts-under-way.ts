import type { Clock } from '../base/time/clock.js';

/** The oldest attempt under way at a model. */
export interface OldestAttempt {
  /** The slug. */
  readonly model: string;
  /** Milliseconds since its begin. */
  readonly ageMs: number;
}

interface Begun {
  readonly model: string;
  readonly startMs: number;
}

/** The attempts that have begun and not ended. */
export class AttemptsUnderWay {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** In the order of their begins. */
  readonly #begun = new Set<Begun>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** @returns the attempt, for {@link end}. */
  begin(model: string): Begun {
    const begun = { model, startMs: this.#clock.monotonic() };
    this.#begun.add(begun);
    return begun;
  }

  end(begun: Begun): void {
    this.#begun.delete(begun);
  }

  /** One for each model with attempts. */
  oldest(): readonly OldestAttempt[] {
    const nowMs = this.#clock.monotonic();
    const byModel = new Map<string, OldestAttempt>();
    for (const { model, startMs } of this.#begun)
      if (!byModel.has(model)) byModel.set(model, { model, ageMs: nowMs - startMs });
    return [...byModel.values()];
  }
}

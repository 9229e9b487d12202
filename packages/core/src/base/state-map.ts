/** State by name; or by an object, for as long as the object lives. */
export class StateMap<State> {
  readonly #named = new Map<string, State>();
  readonly #owned = new WeakMap<object, State>();

  get(key: string | object): State | undefined {
    return typeof key === 'string' ? this.#named.get(key) : this.#owned.get(key);
  }

  set(key: string | object, state: State): void {
    if (typeof key === 'string') this.#named.set(key, state);
    else this.#owned.set(key, state);
  }
}

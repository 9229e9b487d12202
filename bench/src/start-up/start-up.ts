/** How long a fresh process took from nothing to a finished gateway, or to the imports it cannot do without. */
export interface StartUp {
  readonly milliseconds: number;
  /** Timers, sockets and the like that the imports alone have opened. */
  readonly activeResources: readonly string[];
}

/** What keeps this process alive or works in the background, apart from the channel to its parent. */
export function activeResources(): string[] {
  return process.getActiveResourcesInfo().filter((resource) => resource !== 'PipeWrap');
}

const DAY_MS = 86_400_000;
/** Longer than any scenario with a daily limit. */
const MARGIN_MS = 60_000;

/** Waits out the last minute of a UTC day: a daily limit that resets during a scenario would allow twice as much. */
export async function awayFromMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < MARGIN_MS) await new Promise((resolve) => setTimeout(resolve, leftMs + 1));
}

const DAY_MS = 86_400_000;
/** Longer than any scenario with a daily limit takes. */
const MARGIN_MS = 60_000;

/** Waits until the last minute of a UTC day is over: a daily limit that starts over during a scenario would let twice as much through. */
export async function awayFromMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < MARGIN_MS) await new Promise((resolve) => setTimeout(resolve, leftMs + 1));
}

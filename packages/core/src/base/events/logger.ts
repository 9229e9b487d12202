import type { Clock } from '../time/clock.js';

/**
 * The host's logger, with arguments in pino's order, so that a pino instance fits. The gateway logs only facts that no caller may see: bugs, hooks that
 * threw, money that could not be settled yet.
 */
export interface Logger {
  /** For what works again by itself, such as a store that did not answer. */
  warn(fields: Record<string, unknown>, message: string): void;
  /** For what somebody has to look into. */
  error(fields: Record<string, unknown>, message: string): void;
}

/** The default logger: a process warning (on stderr, once per message and code), so that no unexpected error is silent. */
export const processWarnings: Logger = {
  warn: emit,
  error: emit,
};

function emit(fields: Record<string, unknown>, message: string): void {
  const cause = fields['error'];
  process.emitWarning(message, {
    code: 'SEARCHGATE',
    ...(cause instanceof Error ? { detail: cause.stack ?? cause.message } : {}),
  });
}

const QUIET_MS = 10_000;

/** A line that is not logged yet, and how many of its kind it stands for. */
interface Withheld {
  count: number;
  write(leftOut: number): void;
}

/**
 * Logs the first line of a kind at once, then one in ten seconds: the latest, with the number of lines left out (`leftOut`). A kind is a message, whatever its
 * fields. A `final` line about a hold is always logged, since it tells of money.
 */
export function throttledLogger(logger: Logger, clock: Clock): Logger {
  /** Kinds that were logged in the last ten seconds. Messages are constants, so they are few. */
  const recent = new Map<string, Withheld>();

  function wait(message: string): void {
    recent.set(message, { count: 0, write: () => undefined });
    clock.schedule(QUIET_MS, () => next(message), 'background');
  }

  function next(message: string): void {
    const withheld = recent.get(message);
    recent.delete(message);
    if (withheld === undefined || withheld.count === 0) return;
    wait(message);
    withheld.write(withheld.count - 1);
  }

  function throttled(level: keyof Logger): Logger['error'] {
    return (fields, message) => {
      const withheld = recent.get(message);
      if ((fields['final'] === true && 'holdId' in fields) || withheld === undefined) {
        if (withheld === undefined) wait(message);
        logger[level](fields, message);
        return;
      }
      withheld.count += 1;
      withheld.write = (leftOut) => logger[level](leftOut === 0 ? fields : { ...fields, leftOut }, message);
    };
  }

  return { warn: throttled('warn'), error: throttled('error') };
}

/** Wraps the host's logger so that it never throws. Errors of the logger are dropped, because there is no other place to report them. */
export function safeLogger(logger: Logger): Logger {
  const safely =
    (level: keyof Logger): Logger['error'] =>
    (fields, message) => {
      try {
        logger[level](fields, message);
      } catch {
        // See above.
      }
    };
  return { warn: safely('warn'), error: safely('error') };
}

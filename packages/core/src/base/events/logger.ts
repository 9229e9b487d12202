import type { Clock } from '../time/clock.js';

/**
 * The host's logger, with arguments in pino's order, so that a pino instance fits. The gateway logs only facts that no caller may see: bugs, hooks that
 * threw, money that could not be settled yet.
 */
export interface Logger {
  warn(fields: Record<string, unknown>, message: string): void;
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

/** While failures of one cause are to be expected, logs at most one error in ten seconds, with the number of those left out; what is `final`, always. */
export function quietLogger(logger: Logger, watches: readonly { readonly isFailing: boolean }[], clock: Clock): Logger {
  let lastMs = Number.NEGATIVE_INFINITY;
  let leftOut = 0;

  function paced(write: Logger['error']): Logger['error'] {
    return (fields, message) => {
      if (!('error' in fields) || fields['final'] === true || !watches.some(({ isFailing }) => isFailing)) {
        write(fields, message);
        return;
      }
      leftOut += 1;
      if (clock.monotonic() - lastMs < QUIET_MS) return;
      lastMs = clock.monotonic();
      write(leftOut === 1 ? fields : { ...fields, leftOut: leftOut - 1 }, message);
      leftOut = 0;
    };
  }

  return {
    warn: paced((fields, message) => logger.warn(fields, message)),
    error: paced((fields, message) => logger.error(fields, message)),
  };
}

/** Wraps the host's logger so that it never throws. Errors of the logger are dropped, because there is no other place to report them. */
export function safeLogger(logger: Logger): Logger {
  function safely(log: () => void): void {
    try {
      log();
    } catch {
      // See above.
    }
  }

  return {
    warn(fields, message) {
      safely(() => logger.warn(fields, message));
    },
    error(fields, message) {
      safely(() => logger.error(fields, message));
    },
  };
}

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

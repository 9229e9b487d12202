/**
 * The two calls the gateway makes on a host's logger, with the arguments in pino's order, so a pino instance fits as it is.
 * The gateway logs only what no caller may see: bugs, hooks that threw, money that could not be settled yet.
 */
export interface Logger {
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** The default logger: a process warning (on stderr, once per message and code), so that a surprise is never silent. */
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

/** A logger of the host's, made safe to call from anywhere: what it throws is dropped, since there is no other place to report it. */
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

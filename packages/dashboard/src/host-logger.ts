import type { Logger } from '@searchgate/core';

const processWarnings: Logger = { warn: emit, error: emit };

function emit(fields: Record<string, unknown>, message: string): void {
  const { error } = fields;
  const detail = error instanceof Error ? { detail: error.stack ?? error.message } : {};
  process.emitWarning(message, { code: 'SEARCHGATE', ...detail });
}

/** The host's logger, or process warnings. What it throws is dropped: there is no other place to report it. */
export function hostLogger(logger: Logger = processWarnings): Logger {
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

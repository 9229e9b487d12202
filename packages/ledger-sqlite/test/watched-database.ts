import type { Handle } from './drivers.js';

/** What a test sees of, and does to, what passes through a handle. */
export interface Watch {
  /** Every statement that was executed, in order. */
  readonly statements: string[];
  /** Called before each of them; what it throws, the handle throws. */
  before: (sql: string) => void;
}

/** The same handle, watched. */
export function watched(handle: Handle): { readonly database: Handle; readonly watch: Watch } {
  const watch: Watch = { statements: [], before: () => undefined };

  function see(sql: string): void {
    watch.statements.push(sql);
    watch.before(sql);
  }

  const database: Handle = {
    exec(sql) {
      see(sql);
      return handle.exec(sql);
    },
    prepare(sql) {
      const statement = handle.prepare(sql);
      return {
        run(...parameters) {
          see(sql);
          return statement.run(...parameters);
        },
        get(...parameters) {
          see(sql);
          return statement.get(...parameters);
        },
        all(...parameters) {
          see(sql);
          return statement.all(...parameters);
        },
        safeIntegers: (toggle) => statement.safeIntegers?.(toggle),
      };
    },
    close: () => handle.close(),
  };
  return { database, watch };
}

import type { Command } from 'commander';
import { type AdminContext, type AdminSession, type SessionOptions, withSession } from './admin-session.js';
import type { Report } from './report.js';

/** How commands run what they do on the ledger. */
export interface Runner {
  /** Runs a task and prints what it reports, for people or with `--json` for scripts. */
  report(task: (session: AdminSession) => Promise<Report>, options?: SessionOptions): Promise<void>;
  /** Runs a task that prints by itself, page by page. */
  stream(task: (session: AdminSession, out: AdminContext['out']) => Promise<void>): Promise<void>;
  readonly isJson: () => boolean;
  readonly err: AdminContext['err'];
}

/** @param onFailure called when a command worked and what it found is bad. */
export function createRunner(program: Command, context: AdminContext, onFailure: () => void): Runner {
  const isJson = () => program.opts<{ json?: boolean }>().json === true;
  return {
    isJson,
    err: context.err,
    async report(task, options) {
      const { text, json, isBad = false } = await withSession(context, task, options);
      if (isBad) onFailure();
      await context.out(`${isJson() ? JSON.stringify(json, null, 2) : text}\n`);
    },
    stream: (task) => withSession(context, (session) => task(session, context.out)),
  };
}

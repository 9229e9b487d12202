import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DurableLedger } from '@searchgate/core/ledger';
import { openDurableLedger } from '../../src/ledger/open-ledger.js';
import { type AdminResult, adminShell } from './admin-shell.js';

/** A ledger in a temporary SQLite file, and the command to administer it. */
export interface AdminLedger {
  readonly folder: string;
  readonly file: string;
  readonly run: (...argv: string[]) => Promise<AdminResult>;
  /** Opens the ledger next to the command, as a service does. */
  use<T>(work: (ledger: DurableLedger) => Promise<T>): Promise<T>;
  /** Makes a key of acme. @param options of `keys create`, `--limit` among them. */
  makeKey(...options: string[]): Promise<{ readonly secret: string; readonly id: string }>;
  /** Charges a key of acme, as a gateway does. */
  charge(keyId: string, cost: bigint, model?: string): Promise<void>;
  remove(): void;
}

const silent = { warn: () => undefined, error: () => undefined };
const A_MINUTE_MS = 60_000;

/** Makes an empty, migrated ledger. */
export async function createAdminLedger(): Promise<AdminLedger> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-admin-'));
  const file = join(folder, 'money.db');
  const admin = adminShell(`sqlite:${file}`);
  await admin('ledger', 'migrate');

  let last = -1;

  async function use<T>(work: (ledger: DurableLedger) => Promise<T>): Promise<T> {
    const { ledger, close } = await openDurableLedger({ engine: 'sqlite', file }, silent);
    try {
      return await work(ledger);
    } finally {
      await close();
    }
  }

  return {
    folder,
    file,
    run: admin,
    use,
    async makeKey(...options) {
      const made = await admin('keys', 'create', '--org', 'acme', '--label', 'ci', '--json', '--create', ...options);
      const { secret, key } = made.json() as { secret: string; key: { id: string } };
      return { secret, id: key.id };
    },
    charge: (keyId, cost, model = 'exa/answer') =>
      use(async (ledger) => {
        // Never reuse a number: entries may have been removed.
        last = Math.max(last + 1, (await ledger.entries()).entries.length);
        const holdId = `ans_${last}`;
        const owner = { holdId, organizationId: 'acme', keyId, keyLimit: null };
        await ledger.hold({ ...owner, amount: cost, model, expiresAtMs: Date.now() + A_MINUTE_MS });
        await ledger.settle(holdId, { cost, model, provider: 'exa', costSource: 'flat' });
      }),
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}

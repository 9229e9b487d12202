import { createHash, randomUUID } from 'node:crypto';
import type { DurableLedger } from '@searchgate/core/ledger';

/** The owner of the name below. No caller has this id: identities that begin so are refused. */
const OWNER = 'searchgate:archive';
const NAME = 'archive';
const FINGERPRINT = createHash('sha256').update(NAME).digest('hex');
/** For how long a run that was killed keeps others out. */
const CLAIM_MS = 30_000;
const RENEW_MS = 10_000;

/** Takes the lock once more. @throws Error where it was lost, by a machine that stood still for too long. */
export type Confirm = () => Promise<void>;

/** Does work that no two processes may do at once on one ledger. @throws Error where another one does. */
export async function archiveAlone<T>(
  { idempotency }: Pick<DurableLedger, 'idempotency'>,
  work: (confirm: Confirm) => Promise<T>,
): Promise<T> {
  const claim = { keyId: OWNER, idempotencyKey: NAME, claimId: `archive_${randomUUID()}`, fingerprint: FINGERPRINT };

  async function confirm(): Promise<void> {
    const nowMs = Date.now();
    const request = { ...claim, nowMs, expiresAtMs: nowMs + CLAIM_MS };
    if ((await idempotency.claim(request)).status === 'claimed') return;
    const seconds = CLAIM_MS / 1_000;
    throw new Error(
      `entries of this ledger are being archived already; after a run that was killed, wait ${seconds} s`,
    );
  }

  await confirm();
  let renewal: Promise<void> | undefined;
  // Where it fails, the work finds out when it confirms.
  const timer = setInterval(() => {
    renewal = confirm().catch(() => undefined);
  }, RENEW_MS);
  try {
    return await work(confirm);
  } finally {
    clearInterval(timer);
    await renewal;
    // Else it ends by itself.
    await idempotency.free(claim).catch(() => undefined);
  }
}

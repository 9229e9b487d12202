import { createAdministration } from '@searchgate/core/administration';
import type { ApiKeyRegistry } from '@searchgate/core/ledger';
import { grantAll, holdAndSettle, holdId, organizationName } from '../hold-and-settle.js';
import { MANY_ORGANIZATIONS } from '../ledger-case.js';
import type { OpenedLedger } from '../loads/opened-ledger.js';
import { verifyCharges } from '../loads/verify-books.js';
import type { GrowthSample } from './growth-sample.js';
import { type AskedTimes, timeAudit, timeOf, timePages, timePairs } from './time-ledger.js';

/** A ledger that is made larger by its own verbs, so that its books are right and its rows are those of real answers. */
export interface GrowingLedger {
  /** Charges answers until there are so many. */
  growTo(answers: number): Promise<void>;
  /** @throws Error when the books are not right. */
  measure(): Promise<GrowthSample>;
}

/** Enough that engines share what they can share. */
const CALLERS = 512;
/** So many answers after the beginning, and before the end, are the times that pages are asked for. */
const ANSWERS_ASIDE = 2_000;
const OWNER = organizationName(0);

export async function createGrowingLedger(opened: OpenedLedger, apiKeys: ApiKeyRegistry): Promise<GrowingLedger> {
  const { ledger } = opened;
  const administration = createAdministration({ ledger, apiKeys });
  await ledger.migrate?.();
  await grantAll(ledger, MANY_ORGANIZATIONS);
  await apiKeys.insertOrganization({ id: OWNER, name: null, createdAtMs: 0, suspendedAtMs: null });
  let done = 0;
  let times: AskedTimes = { earlyMs: Date.now(), lateMs: Date.now() };
  let before = { answers: 0, bytes: await opened.storedBytes() };

  async function chargeUpTo(answers: number): Promise<void> {
    const call = async () => {
      while (done < answers) {
        const index = done++;
        await holdAndSettle(ledger, holdId(index), organizationName(index % MANY_ORGANIZATIONS));
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
  }

  async function bytesPerAnswer(): Promise<number | null> {
    const now = { answers: done, bytes: await opened.storedBytes() };
    const grown = now.answers - before.answers;
    const bytes = now.bytes - before.bytes;
    before = now;
    return grown === 0 ? null : bytes / grown;
  }

  return {
    async growTo(answers) {
      if (done < ANSWERS_ASIDE) {
        await chargeUpTo(Math.min(answers, ANSWERS_ASIDE));
        times = { ...times, earlyMs: Date.now() };
      }
      await chargeUpTo(answers - ANSWERS_ASIDE);
      times = { ...times, lateMs: Date.now() };
      await chargeUpTo(answers);
    },
    async measure() {
      const answers = done;
      const size = { answers, bytesPerAnswer: await bytesPerAnswer() };
      await verifyCharges(ledger, answers);
      const pages = await timePages(ledger, times);
      const statementMs = await timeOf(() => administration.statement({ by: 'model', organizationId: OWNER }));
      const audit = await timeAudit(opened);
      const pairs = await timePairs(ledger, () => done++);
      return { ...size, ...pairs, pages, statementMs, audit };
    },
  };
}

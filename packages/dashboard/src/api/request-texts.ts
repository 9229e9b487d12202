import type { Gateway, Logger } from '@searchgate/core';
import type { Administration } from '@searchgate/core/administration';
import type { RequestRow, RequestText } from '@searchgate/core/ledger';
import type { Scope } from '../scope.js';
import type { CapturedText, RequestRow as WireRow } from './contract.js';
import { type Exchange, isoTime } from './exchange.js';
import { Problem } from './problem.js';

const DAY_MS = 86_400_000;

/** A call with the cells of its texts; `null` where none are kept. */
export type RowWithText = WireRow & {
  readonly [Name in 'question' | 'answer' | 'is_cut']?: CapturedText[Name] | null;
};

export interface TextDeps {
  readonly gateway: Pick<Gateway, 'status'>;
  readonly administration: Pick<Administration, 'requests'>;
  /** Gets a line for each reading. No line is left out. */
  readonly readings: Pick<Logger, 'warn'>;
}

/** Whether the user may read questions and answers, where any are kept. */
export function canReadTexts(scope: Scope, gateway: TextDeps['gateway']): boolean {
  return scope.isReader && gateway.status().capture !== undefined;
}

/** @throws Problem 403. */
export function requireReader({ isReader }: Scope): void {
  if (!isReader)
    throw new Problem(403, 'Questions and answers are for the roles reader and operator. Ask an operator.');
}

/** Reads the questions and answers of calls, for readers and operators alone. */
export function textReader({ gateway, administration, readings }: TextDeps) {
  const endOf = (atMs: number) => atMs + (gateway.status().capture?.keepDays ?? 0) * DAY_MS;

  /** Those that are kept of the calls, by the ids of requests. A text may outlive its days until it is removed. */
  async function find(requestIds: readonly string[], nowMs: number): Promise<ReadonlyMap<string, RequestText>> {
    const texts = (await administration.requests?.texts(requestIds)) ?? [];
    return new Map(texts.filter(({ atMs }) => endOf(atMs) > nowMs).map((text) => [text.requestId, text]));
  }

  /** Tells the log who reads: nobody could answer for it otherwise, as the record of changes has changes alone. */
  function note({ actor }: Scope, what: object): void {
    readings.warn({ actor, ...what }, 'questions and answers were read');
  }

  return {
    /** @throws Problem 403. */
    beginDownload(scope: Scope, organizationId: string | null = null): void {
      requireReader(scope);
      note(scope, { download: 'requests.csv', organizationId });
    },
    /** Calls with the texts that are kept of them. */
    async addTo(rows: readonly WireRow[], nowMs: number): Promise<readonly RowWithText[]> {
      const ids = rows.map(({ request_id }) => request_id);
      const kept = await find(ids, nowMs);
      return rows.map((row) => {
        const { question = null, answer = null, isCut = null } = kept.get(row.request_id) ?? {};
        return { ...row, question, answer, is_cut: isCut };
      });
    },
    /** @throws Problem 404, which says why there is nothing. */
    async read({ scope, clock }: Exchange, { requestId, atMs, organizationId }: RequestRow): Promise<CapturedText> {
      const nowMs = clock.now();
      const text = (await find([requestId], nowMs)).get(requestId);
      if (text === undefined) throw new Problem(404, whyNone(gateway.status(), organizationId, endOf(atMs) <= nowMs));
      note(scope, { requestId, organizationId });
      const { question, answer, isCut } = text;
      return { question, answer, is_cut: isCut, expires_at: isoTime(endOf(atMs)) };
    },
  };
}

function whyNone({ capture }: ReturnType<Gateway['status']>, organizationId: string, isOld: boolean): string {
  if (capture === undefined) return 'Questions and answers are not kept: capture is off.';
  const { organizations, keepDays } = capture;
  if (isOld) return `This call is too old: questions and answers are kept for ${keepDays} days.`;
  if (organizations !== 'all' && !organizations.includes(organizationId))
    return 'Questions and answers of this organization are not kept: capture is off for it.';
  return 'Nothing was kept of this call: it was refused before its question was read, came before capture was on, or its text was erased or lost.';
}

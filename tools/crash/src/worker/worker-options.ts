import type { KeyIdentity } from '@searchgate/core';

/** The options a worker gets on its command line, as JSON. */
export interface WorkerOptions {
  /** Location of its ledger, see `openLedger`. */
  readonly location: string;
  readonly upstreamUrl: string;
  /** The deadline of the models. A hold lives this long and `holdGraceMs` more. */
  readonly answerTimeoutMs: number;
  readonly holdGraceMs: number;
  /** 0 for never. */
  readonly expireHoldsEveryMs: number;
  readonly ledgerTimeoutMs: number;
  /** Where to post alerts, and at which thresholds. Default: none. */
  readonly alerts?: { readonly url: string; readonly thresholds: readonly string[] };
  /** Budgets that every caller has, whatever its key names. Default: those of its key. */
  readonly identityBudgets?: KeyIdentity['budgets'];
}

/** The commands over IPC. */
export type WorkerCommand = 'expireHolds' | 'stop';

export interface WorkerRequest {
  readonly id: number;
  readonly command: WorkerCommand;
}

/** `id` 0 announces that the worker serves; its result is the URL. */
export interface WorkerReply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Name of the variable that shifts the clock of a worker, in milliseconds. */
export const CLOCK_OFFSET = 'CRASH_CLOCK_OFFSET_MS';

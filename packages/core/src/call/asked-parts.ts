import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { Deadline } from '../base/time/deadline.js';
import type { CallableModel, CallablePart } from '../catalog/callable-model.js';
import type { CompiledPrice } from '../catalog/compile-prices.js';
import type { KindCall, ProviderAnswer } from '../kinds/kind-call.js';
import { lossOf } from '../kinds/sold-units.js';
import type { Loss } from '../ledger/ledger.js';
import type { PartFields, PartKind } from '../provider-kit/provider.js';

/** A reply that the caller pays. */
export interface PaidReply {
  readonly outcome: ProviderAnswer;
  readonly served: CallableModel;
  /** Of a part: its own call, and the price at the time of the hold. Absent for a reply to the call itself. */
  readonly part?: { readonly call: KindCall; readonly price: CompiledPrice } | undefined;
}

/** What became of a part. */
export type PartResult = { readonly paid: readonly PaidReply[]; readonly losses: readonly Loss[] } & (
  | { readonly status: 'answered'; readonly results: readonly unknown[] }
  | { readonly status: 'failed'; readonly error: UpstreamError }
);

/** The attempt that a part belongs to. */
export interface OuterAttempt {
  readonly deadline: Deadline;
  /** By the monotonic clock. */
  readonly endsAtMs: number;
}

interface AskedPart {
  readonly part: CallablePart;
  readonly fields: PartFields[PartKind];
  readonly within: OuterAttempt;
}

/** Asks a part of an answer. Never rejects, and ends soon after the deadline. */
export type AskPart = (asked: AskedPart) => Promise<PartResult>;

/** The parts of one attempt: what was bought, and what is under way. */
export class AskedParts {
  /** Paid by the caller where the attempt succeeds, else lost by the operator. */
  readonly bought: PaidReply[] = [];
  readonly losses: Loss[] = [];
  readonly #parts: readonly CallablePart[];
  readonly #ask: AskPart;
  readonly #asked = new Set<CallablePart>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #failures = new Set<unknown>();
  #isOver = false;

  constructor(parts: readonly CallablePart[], ask: AskPart) {
    this.#parts = parts;
    this.#ask = ask;
  }

  /** @throws UpstreamError the failure of the part; Error for one that the model does not have, that was asked before, or too late. */
  async run(kind: PartKind, model: string, { fields, within }: Omit<AskedPart, 'part'>) {
    const part = this.#parts.find((each) => each.kind === kind && each.model === model);
    const isLeft = part !== undefined && !this.#asked.has(part) && !this.#isOver;
    if (!isLeft) throw new Error(`no part ${kind} ${model} is left to be asked`);
    this.#asked.add(part);
    const noted = this.#note(this.#ask({ part, fields, within })).finally(() => this.#underWay.delete(noted));
    this.#underWay.add(noted);
    const result = await noted;
    if (result.status === 'answered') return result.results;
    this.#failures.add(result.error);
    throw result.error;
  }

  /** Whether an attempt ended with the failure of a part, which tells nothing about its own provider. */
  hasFailedWith(result: unknown): boolean {
    return this.#failures.has(result);
  }

  /** Cuts off what is under way, and waits for it: it may have cost something. Nothing can be asked later, which nobody would pay for. */
  async end(deadline: Deadline): Promise<void> {
    this.#isOver = true;
    if (this.#underWay.size === 0) return;
    deadline.pass();
    await Promise.allSettled(this.#underWay);
  }

  async #note(asking: Promise<PartResult>): Promise<PartResult> {
    const result = await asking;
    this.bought.push(...result.paid);
    this.losses.push(...result.losses);
    return result;
  }

  /** All that was spent, where nobody pays for it. What a vendor bills to an organization is no loss of the operator. */
  lossesFor(reason: string, atMs: number): readonly Loss[] {
    const losses = this.bought.flatMap(({ outcome: { value, cost }, served, part }) => {
      if (served.own !== undefined) return [];
      const units = part?.call.billedUnits(value, served.model);
      return lossOf(served, { cost, isSold: true, reason, atMs, units }) ?? [];
    });
    return [...this.losses, ...losses];
  }
}

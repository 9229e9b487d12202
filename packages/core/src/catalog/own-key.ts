import { z } from 'zod';
import { formatUsd, multiply, type NanoUsd, parseUsd, readUsd } from '../base/money.js';
import { share } from '../base/options/option-schemas.js';

/** The fee for a call with an organization's own key: both parts are added. */
export interface Fee {
  /** Of what the vendor bills, before markup, in billionths. */
  readonly share: bigint;
  readonly request: NanoUsd;
}

const amount = z
  .string('a decimal string')
  .refine((text) => (readUsd(text) ?? -1n) >= 0n, 'US dollars such as "0.0005"');

/** The fee as hosts write it. */
export const feeSchema = z.union(
  [
    z.literal('0').transform((): Fee => ({ share: 0n, request: 0n })),
    z.strictObject({ share }).transform((given): Fee => ({ ...given, request: 0n })),
    z.strictObject({ request: amount.transform(parseUsd) }).transform((given): Fee => ({ share: 0n, ...given })),
  ],
  'a fee: { share: "0.05" }, { request: "0.0005" } or "0"',
);

/** The fee for a call that the vendor bills at this cost, rounded up as prices are. */
export function feeOf({ share: part, request }: Fee, cost: NanoUsd): NanoUsd {
  return multiply(cost, part) + request;
}

/** The fee as callers see it. */
export function listFee({ share: part, request }: Fee): { readonly share: string } | { readonly request: string } {
  return part > 0n ? { share: formatUsd(part) } : { request: formatUsd(request) };
}

/**
 * A key that an organization has at a vendor itself. The circuit and the latencies of its account hang on this object, so they end with it: another key is
 * another object.
 */
export class OwnKey {
  readonly organizationId: string;
  readonly provider: string;
  readonly fee: Fee;
  // Private, so that no log, event or error that holds the object shows it.
  readonly #apiKey: string;

  constructor({ organizationId, provider, fee }: Omit<OwnKey, 'is' | 'reveal'>, apiKey: string) {
    this.organizationId = organizationId;
    this.provider = provider;
    this.fee = fee;
    this.#apiKey = apiKey;
  }

  is(apiKey: string, { share: part, request }: Fee): boolean {
    return this.#apiKey === apiKey && this.fee.share === part && this.fee.request === request;
  }

  /** For requests to the vendor alone. */
  reveal(): string {
    return this.#apiKey;
  }
}

/** A model at an account: that of the operator, or of an organization. */
interface Account {
  readonly provider: string;
  readonly model: { readonly slug: string };
  readonly own?: OwnKey | undefined;
}

/** Names the account at a provider: by its id that of the operator, by the key that of an organization. */
export function accountOf({ provider, own }: Pick<Account, 'provider' | 'own'>): string | OwnKey {
  return own ?? provider;
}

/** Names a model at an account: by its slug at that of the operator, by itself at that of an organization. */
export function modelAt(candidate: Pick<Account, 'model' | 'own'>): string | object {
  return candidate.own === undefined ? candidate.model.slug : candidate;
}

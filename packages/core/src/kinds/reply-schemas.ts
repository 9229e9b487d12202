import { z } from 'zod';

// Parts of the bodies of successes that all kinds have.

export const text = (description: string) => z.string().describe(description);
export const wholeNumber = z.int().min(0);
export const charged = z.number().describe('US dollars. What was charged.');

const byok = z.literal(true).optional().describe('Set with a key of your organization: the cost is the fee.');
/** The last fields of the usage. */
export const charges = { cost: charged, byok };
/** As {@link charges}. */
export interface Charged {
  /** USD. */
  readonly cost: number;
  /** Set where a key of the organization was used: then the cost is the fee. */
  readonly byok?: true | undefined;
}

/** The first fields of every reply that asked a model. */
export const head = {
  id: text('The id of the answer and of its ledger entry.'),
  model: text('The model that ran. It differs from the one asked for after an alias or a fallback.'),
  provider: text('Who served the answer.'),
};

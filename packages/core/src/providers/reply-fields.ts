import { z } from 'zod';

/** A text that a reply may lack, as absence, as `null` or in any other shape: never a reason to lose the answer. */
export const optionalText = z.transform(asText).optional();

/** A number that a reply may lack in the same ways. */
export const optionalNumber = z.number().nullish().catch(null);

/** An amount of money that a reply may lack, in any form: what it is worth is judged later. */
export const optionalAmount = z.unknown().optional();

/** A list that a reply may lack; then it is empty. */
export function optionalList<S extends z.ZodType>(element: S) {
  return z
    .array(element)
    .nullish()
    .transform((list) => list ?? []);
}

/** Texts that a reply may lack in the same ways. */
export const optionalTexts = z.array(z.string()).nullish().catch(null);

/** One step where `z.string().nullish().catch(null)` takes four: replies hold dozens of such fields. */
function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

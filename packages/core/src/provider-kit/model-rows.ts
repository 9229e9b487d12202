import type { ModelRow } from '../catalog/model-entry.js';

type Optional<T, Keys extends PropertyKey> = Omit<T, Keys & keyof T> & Partial<Pick<T, Keys & keyof T>>;

/** The models of a provider, as a table: `shared` holds the fields that most rows have in common; a field of a row replaces the shared field. */
export function modelRows<S extends Partial<ModelRow>>(
  shared: S,
  rows: readonly Optional<ModelRow, keyof S>[],
): readonly ModelRow[] {
  return rows.map((row) => ({ ...shared, ...row }) as unknown as ModelRow);
}

interface TokenRates {
  readonly input: string;
  /** Tokens read from the provider's cache. */
  readonly cachedInput: string;
  readonly output: string;
}

type TokenField = 'perMillionInputTokens' | 'perMillionCachedInputTokens' | 'perMillionOutputTokens';

/** The token fields of a dynamic price. Rates are decimal strings, in USD per million tokens. */
export function tokenRates({ input, cachedInput, output }: TokenRates): Record<TokenField, string> {
  return { perMillionInputTokens: input, perMillionCachedInputTokens: cachedInput, perMillionOutputTokens: output };
}

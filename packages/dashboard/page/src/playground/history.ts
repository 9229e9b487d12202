import type { Model } from '../../../src/api/contract.js';
import type { SearchTexts } from './search-fields.js';

/** What was asked, without the key. */
export interface Past {
  readonly category: Model['category'];
  /** The ids of the asked models, separated by commas. */
  readonly models: string;
  readonly query: string;
  readonly search: SearchTexts;
  /** What is read, sorted or made into vectors, by category: one per line. */
  readonly lists: { readonly [Category in Model['category']]?: string };
}

const NAME = 'searchgate-asked';
const MAX_PAST = 20;
/** Long documents are not worth the room. */
const MAX_CHARACTERS = 20_000;

/** The last questions of this tab, the newest first. */
export function pastQuestions(): readonly Past[] {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as readonly Past[];
  } catch {
    // Browsers may forbid storage.
    return [];
  }
}

/** @returns the questions with a new one, which takes the place of the same question. */
export function remember({ category, models, query, search, lists }: Past): readonly Past[] {
  const text = JSON.stringify({ category, models, query, search, lists });
  if (text.length > MAX_CHARACTERS) return pastQuestions();
  const others = pastQuestions().filter((past) => JSON.stringify(past) !== text);
  const history = [JSON.parse(text) as Past, ...others].slice(0, MAX_PAST);
  try {
    sessionStorage.setItem(NAME, JSON.stringify(history));
  } catch {
    // See above.
  }
  return history;
}

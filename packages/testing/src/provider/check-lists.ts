import assert from 'node:assert/strict';
import { type AnswerOutcome, isUpstreamError, type Provider, textTokens } from '@searchgate/core/provider-kit';
import { assertAnswered, assertSame, checkInvariants } from './check-outcome.js';
import { namedIn, type StrangeReply, strangeReplies } from './list-mutations.js';
import type { AnswerFixture } from './provider-fixture.js';
import { hand } from './scene.js';

/** A list of a reply may contain any value: an invalid source is dropped, and everything else is kept. */
export async function checkLists(provider: Provider, fixture: AnswerFixture): Promise<void> {
  const { reply, answer } = fixture;
  for (const strange of strangeReplies(reply)) {
    const gone = strange.place === 'replaced' ? urlsLost(strange, answer) : [];
    if (gone === null) continue;
    const ending = await hand(provider, fixture, strange.text);
    assert.ok(!isUpstreamError(ending), `${strange.change}: ${isUpstreamError(ending) ? ending.detail : ''}`);
    assertAnswered(ending);
    checkInvariants(ending);
    // A marker without a source may now point to the new entry, and goes with it.
    if (strange.place === 'last') assertSame(withoutLooseNumbers(ending), withoutLooseNumbers(answer), strange.change);
    else checkOthers(ending, answer, { ...strange, gone });
  }
}

/** Without bracketed numbers that match no citation. */
function withoutLooseNumbers(outcome: AnswerOutcome): AnswerOutcome {
  const { text, citations } = outcome;
  const parts = textTokens(text).map(({ kind, text: written, numbers }) => {
    const isLoose = kind === 'marker' && !(written === `[${numbers}]` && Number(numbers) <= citations.length);
    return isLoose ? '' : written;
  });
  return { ...outcome, text: parts.join('').replaceAll(/ +(?=[\s.,;]|$)/g, ''), markers: undefined };
}

interface Changed extends StrangeReply {
  /** Addresses that the reply no longer contains. */
  readonly gone: readonly string[];
}

/** An invalid entry keeps its position: no marker may point to its neighbor instead. */
function checkOthers(actual: AnswerOutcome, expected: AnswerOutcome, { place, change, gone }: Changed): void {
  const others = ({ citations }: AnswerOutcome) =>
    citations
      .flatMap(({ url, title }) => (gone.includes(url) ? [] : { url, title }))
      .sort((a, b) => (a.url < b.url ? -1 : 1));
  assert.deepEqual(others(actual), others(expected), `the other citations: ${change}`);
  // In a longer list, the provider's markers refer to other entries.
  if (place === 'between') return;
  const marks = (outcome: AnswerOutcome) => marksIn(outcome, gone).filter(({ url }) => !gone.includes(url));
  assert.deepEqual(marks(actual), marks(expected), `where markers point to: ${change}`);
}

/** The addresses of an entry; `null` for an entry that is not a source, shares its number, or is the only citation. */
function urlsLost({ lost, text }: StrangeReply, { citations }: AnswerOutcome): string[] | null {
  const named = namedIn(
    lost,
    citations.map(({ url }) => url),
  );
  const id = JSON.stringify((lost as { readonly id?: unknown } | null)?.id);
  const isAmbiguous = [',', '}'].some((end) => text.includes(`"id":${id}${end}`));
  return isAmbiguous || named.length === 0 || named.length === citations.length ? null : named;
}

interface Mark {
  readonly url: string;
  /** Number of prose letters after it. Letters before it may change: text before a search goes if it cites nothing. */
  readonly before: number;
}

/** The citation markers of a text with their addresses and positions, from last to first. */
function marksIn({ text, citations }: AnswerOutcome, gone: readonly string[]): Mark[] {
  const marks: Mark[] = [];
  let before = 0;
  let from = text.length;
  for (const { kind, text: written, numbers, start, end } of textTokens(text).toReversed()) {
    if (kind !== 'marker' && kind !== 'link') continue;
    const prose = gone.reduce((rest, url) => rest.replaceAll(url, ''), text.slice(end, from));
    before += prose.match(/\p{L}/gu)?.length ?? 0;
    from = start;
    const url = written === `[${numbers}]` ? citations[Number(numbers) - 1]?.url : undefined;
    // A number without a citation is prose.
    if (url !== undefined) marks.push({ url, before });
  }
  return marks;
}

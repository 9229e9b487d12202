import { joinedTerms, stem, termsOf, wordsOf } from './terms.js';

/** A question, reduced to what can be looked up. */
export interface Question {
  /** What the question is about: stemmed, once each, in order, at most {@link MAX_QUESTION_TERMS}. */
  readonly topics: readonly string[];
  /** Words that help to rank but say nothing of the subject ("set", "use", "default"). */
  readonly hints: readonly string[];
  /** Neighboring words run together, which meet camel-case names: "body timeout" → `bodytimeout`. */
  readonly joined: readonly string[];
  /** The sources the question names. */
  readonly sources: ReadonlySet<string>;
}

/** Longer questions are cut: the work of a search stays bounded. */
export const MAX_QUESTION_TERMS = 40;

const STOP_WORDS =
  stemsOf(`a about above after again all also am an and any are as at be been before being below between both but by can cannot could
  d did do does doing done down during each few for from further had has have having he her here hers him his how however i if in into is it its itself
  just ll m may me might more most must my myself no nor not now of off on once only or other our out over own please re s same shall she should so some
  such t than that the their them then there these they this those through to too under until up upon us very was way we were what when where which
  while who whom whose why will with within without would you your yours`);

/** Words that help to rank but say nothing of a subject. */
export const HINTS =
  stemsOf(`allow apply call change config configure create define difference document documentation docs example explain feature find get give handle
  know library like make message mean method name need new npm package possible problem project provide return right run say set setting show start
  supply support string object function array number boolean class instance tell thing understand use used using value version want work write`);

function stemsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).map(stem));
}

/** Reads a question against the sources that are indexed. */
export function readQuestion(text: string, sources: ReadonlyMap<string, string>): Question {
  const joined = new Set(joinedTerms(wordsOf(text).filter((word) => !STOP_WORDS.has(stem(word.toLowerCase())))));
  const terms = termsOf(text).slice(0, MAX_QUESTION_TERMS * 4);
  const named = withoutShorter([...sources].filter(([key]) => joined.has(key) || terms.includes(key)));
  // One name says where to look; two are what the question is about ("pino with express").
  const partsOfNames = new Set(named.length === 1 ? named.flatMap(([key, source]) => [key, ...termsOf(source)]) : []);
  const words = [...new Set(terms)]
    .filter((term) => term.length > 1 && !STOP_WORDS.has(term) && !partsOfNames.has(term))
    .slice(0, MAX_QUESTION_TERMS);
  return {
    topics: words.filter((term) => !HINTS.has(term)),
    hints: words.filter((term) => HINTS.has(term)),
    joined: [...joined].filter((term) => !sources.has(term)),
    sources: new Set(named.map(([, source]) => source)),
  };
}

/** "koa router" names `@koa/router`, not `koa` as well. */
function withoutShorter(named: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  return named.filter(([key]) => !named.some(([other]) => other !== key && other.startsWith(key)));
}

/** How a source's name looks as one term: `@koa/router` → `koarouter`. */
export function sourceKey(source: string): string {
  const terms = termsOf(source);
  return terms.at(-1) ?? source;
}

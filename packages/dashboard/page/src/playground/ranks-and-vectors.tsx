import type { KindReply } from '@searchgate/client';
import { count } from '../format.js';

const MAX_DOCUMENT_CHARACTERS = 1_000;
const MAX_VECTORS = 100;
const SHOWN_NUMBERS = 8;

/** The most relevant document first, each with its place in the request. */
export function RankedDocuments({ documents }: { documents: KindReply<'rerank'>['results'] }) {
  return (
    <ol class="pages">
      {documents.map(({ index, relevance_score: score, document: { text } }) => (
        <li key={index}>
          <p>{text.length > MAX_DOCUMENT_CHARACTERS ? `${text.slice(0, MAX_DOCUMENT_CHARACTERS)}…` : text}</p>
          <p class="hint">
            document {index + 1} · score {score}
          </p>
        </li>
      ))}
    </ol>
  );
}

/** The length and the first numbers of each vector: nobody reads the others. */
export function Vectors({ vectors }: { vectors: KindReply<'embed'>['data'] }) {
  return (
    <>
      <ol class="pages">
        {vectors.slice(0, MAX_VECTORS).map(({ index, embedding }) => (
          <li key={index}>
            <p>{typeof embedding === 'string' ? embedding.slice(0, 80) : firstNumbers(embedding)}</p>
          </li>
        ))}
      </ol>
      {vectors.length > MAX_VECTORS && <p class="hint">Only the first {MAX_VECTORS} are shown.</p>}
    </>
  );
}

function firstNumbers(numbers: readonly number[]): string {
  const shown = numbers.slice(0, SHOWN_NUMBERS).map((number) => number.toPrecision(4));
  const rest = numbers.length > SHOWN_NUMBERS ? ', …' : '';
  return `${count(numbers.length)} numbers: ${shown.join(', ')}${rest}`;
}

type Json = Record<string, unknown>;

interface Annotation {
  readonly url?: unknown;
  readonly end_index?: unknown;
}

export interface ResponsesEventsOptions {
  /** Splits the text of a part into deltas, from an offset. Default: words with their leading space. */
  readonly deltaEnd?: (text: string, from: number) => number;
  /** When annotations come: each after its marker, all after the text, or only with the whole part. Default `at once`. */
  readonly annotated?: 'at once' | 'behind the text' | 'with the part';
  /** Whether the last event omits the output. Default `false`. */
  readonly withoutOutput?: boolean;
  /** Whether lines name the event too, as OpenAI's do. Default `true`. */
  readonly isNamed?: boolean;
}

/** A whole reply of a Responses API as the corresponding stream events. */
export function responsesEvents(reply: Json, options: ResponsesEventsOptions = {}): Json[] {
  const { output, usage: _usage, ...head } = reply;
  const items = output as Json[];
  const begun = { ...head, status: 'in_progress', output: [], usage: null };
  const status = typeof reply['status'] === 'string' ? reply['status'] : 'completed';
  const events: Json[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, output_index) => itemEvents(item, output_index, options)),
    { type: `response.${status}`, response: options.withoutOutput ? { ...reply, output: [] } : reply },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** Events as the text of a stream. */
export function streamOf(events: readonly Json[], { isNamed = true }: ResponsesEventsOptions = {}): string {
  return events
    .map((event) => `${isNamed ? `event: ${String(event['type'])}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function itemEvents(item: Json, output_index: number, options: ResponsesEventsOptions): Json[] {
  const place = { output_index, item_id: item['id'] };
  const isMessage = item['type'] === 'message';
  const begun = { ...item, status: 'in_progress', ...(isMessage ? { content: [] } : {}) };
  const parts = isMessage && Array.isArray(item['content']) ? (item['content'] as Json[]) : [];
  return [
    { type: 'response.output_item.added', output_index, item: begun },
    ...(item['type'] === 'web_search_call' ? [{ type: 'response.web_search_call.searching', ...place }] : []),
    ...parts.flatMap((part, content_index) => partEvents(part, { ...place, content_index }, options)),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function partEvents(part: Json, place: Json, options: ResponsesEventsOptions): Json[] {
  const events: Json[] = [
    { type: 'response.content_part.added', ...place, part: { type: part['type'], text: '', annotations: [] } },
  ];
  if (part['type'] === 'output_text') events.push(...textEvents(part, place, options));
  events.push({ type: 'response.content_part.done', ...place, part });
  return events;
}

function textEvents(part: Json, place: Json, options: ResponsesEventsOptions): Json[] {
  const { deltaEnd = wordEnd, annotated = 'at once' } = options;
  const text = textOf(part);
  const annotations = annotated === 'with the part' ? [] : annotationsOf(part);
  const events: Json[] = [];
  let [at, annotation_index] = [0, 0];
  const annotateUpTo = (end: number) => {
    while ((annotations[annotation_index]?.at ?? Number.POSITIVE_INFINITY) <= end) {
      const { annotation } = annotations[annotation_index] as { annotation: Annotation };
      events.push({ type: 'response.output_text.annotation.added', ...place, annotation_index, annotation });
      annotation_index += 1;
    }
  };
  while (at < text.length) {
    const from = at;
    const next = annotated === 'at once' ? (annotations[annotation_index]?.at ?? text.length) : text.length;
    at = Math.min(Math.max(from + 1, deltaEnd(text, from)), Math.max(next, from + 1));
    events.push({ type: 'response.output_text.delta', ...place, delta: text.slice(from, at) });
    if (annotated === 'at once') annotateUpTo(at);
  }
  annotateUpTo(Number.MAX_SAFE_INTEGER);
  return [...events, { type: 'response.output_text.done', ...place, text }];
}

/** Each annotation with the offset after its marker: after its link, or at the given place. Ascending. */
function annotationsOf(part: Json): { readonly at: number; readonly annotation: Annotation }[] {
  const text = textOf(part);
  let from = 0;
  return (Array.isArray(part['annotations']) ? (part['annotations'] as Annotation[]) : []).map((annotation) => {
    const { url, end_index } = annotation;
    const begins = typeof url === 'string' && url !== '' ? text.indexOf(`(${url.trim()}`, from) : -1;
    const closes = begins === -1 ? -1 : text.indexOf(')', begins + String(url).trim().length);
    const linked = text[closes + 1] === ')' ? closes + 2 : closes + 1;
    from = Math.max(from, closes === -1 ? (typeof end_index === 'number' ? end_index : 0) : linked);
    return { at: Math.min(from, text.length), annotation };
  });
}

function textOf({ text }: Json): string {
  return typeof text === 'string' ? text : '';
}

function wordEnd(text: string, from: number): number {
  const end = text.indexOf(' ', from + 1);
  return end === -1 ? text.length : end;
}

import {
  EmptyResponseBodyError,
  InvalidPromptError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4Prompt,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
  type SharedV4Warning,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import {
  type EventSourceMessage,
  EventSourceParserStream,
  extractResponseHeaders,
  isAbortError,
  type ResponseHandler,
  removeUndefinedEntries,
} from '@ai-sdk/provider-utils';
import { answerMetadata, finishOf, NO_USAGE, sourcesOf } from './answer-parts.js';
import { answerOptions, answerSettings, checkOptions, checkSettings, requestBody } from './searchgate-options.js';
import { type Connection, createSender, wholeReply } from './send-call.js';
import { type StreamedCall, StreamReader } from './stream-reader.js';
import { answerSchema } from './wire.js';

const SAMPLING = [
  'temperature',
  'stopSequences',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
] as const;

const DETAILS = 'The gateway decides how an answer is written.';

/** Warnings for settings of a call that are ignored. */
function unsupportedSettings(options: LanguageModelV4CallOptions): SharedV4Warning[] {
  const ignored: string[] = SAMPLING.filter((name) => options[name] !== undefined);
  if (options.reasoning !== undefined && options.reasoning !== 'provider-default') ignored.push('reasoning');
  return ignored.map((feature) => ({ type: 'unsupported', feature, details: DETAILS }));
}

const readAnswer = wholeReply(answerSchema);

/** The events of a streamed answer as they arrive. */
const readEvents: ResponseHandler<ReadableStream<EventSourceMessage>> = ({ response }) => {
  if (response.body === null) throw new EmptyResponseBodyError();
  const text = response.body.pipeThrough(new TextDecoderStream());
  const value = text.pipeThrough(new EventSourceParserStream());
  return Promise.resolve({ value, responseHeaders: extractResponseHeaders(response) });
};

/**
 * A model of a gateway for the AI SDK, in version 4 of its language model specification.
 *
 * @throws InvalidArgumentError for wrong settings.
 */
export function languageModel(modelId: string, settings: unknown, connection: Connection): LanguageModelV4 {
  const defaults = checkSettings(answerSettings, settings);
  const send = createSender(connection, '/answer');

  /** Asks once. Calls with unsupported content are refused before a request is sent. */
  async function ask<T>(options: LanguageModelV4CallOptions, stream: true | undefined, read: ResponseHandler<T>) {
    const { idempotencyKey, ...own } = checkOptions(answerOptions, options.providerOptions);
    const asked = { ...defaults, ...removeUndefinedEntries(own) };
    const body = { ...requestBody(modelId, readQuestion(options), asked), stream };
    return { ...(await send({ ...options, body, idempotencyKey, read })), warnings: unsupportedSettings(options) };
  }

  async function doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { value: answer, rawValue, responseHeaders, body, warnings } = await ask(options, undefined, readAnswer);
    return {
      content: [{ type: 'text', text: answer.answer }, ...sourcesOf(answer.id, answer.citations)],
      finishReason: finishOf(answer),
      usage: NO_USAGE,
      providerMetadata: answerMetadata(answer, answer.answer),
      request: { body },
      response: { id: answer.id, modelId: answer.model, headers: responseHeaders, body: rawValue },
      warnings,
    };
  }

  async function doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { value: events, url, responseHeaders, body, warnings, onError } = await ask(options, true, readEvents);
    const call = { url, requestBodyValues: body, responseHeaders };
    const includeRawChunks = options.includeRawChunks === true;
    return {
      stream: streamParts({ events, call, warnings, includeRawChunks, onError }),
      request: { body },
      response: { headers: responseHeaders },
    };
  }

  return { specificationVersion: 'v4', provider: 'searchgate', modelId, supportedUrls: {}, doGenerate, doStream };
}

type Prompted = LanguageModelV4Prompt[number];

/**
 * The question of a call: the text of its only message, or its messages, with the system texts, the schema and the limit of its answer. The gateway checks
 * the order of messages, and whether the model can do all.
 * Content that a gateway would ignore is refused, since the answer would not fit the question.
 *
 * @throws UnsupportedFunctionalityError for tools, JSON without a schema, files, messages of tools, and system texts after the first message.
 * @throws InvalidPromptError for a last message without text.
 */
function readQuestion({ prompt, tools, responseFormat, maxOutputTokens }: LanguageModelV4CallOptions): object {
  if (tools !== undefined && tools.length > 0) refuse('tools');
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : []));
  const messages = prompt.slice(system.length).map((message) => ({ role: message.role, content: textOf(message) }));
  const query = messages.at(-1)?.content ?? '';
  if (query.trim() === '')
    throw new InvalidPromptError({ prompt, message: 'Searchgate: the last message has no text.' });
  const { schema, name = 'answer' } = responseFormat?.type === 'json' ? responseFormat : {};
  if (responseFormat?.type === 'json' && schema === undefined) refuse('JSON without a schema');
  const response_format = schema && { type: 'json_schema', json_schema: { name, schema } };
  const instructions = system.filter((text) => text.trim() !== '').join('\n\n') || undefined;
  const asked = messages.length === 1 ? { query } : { messages };
  return { ...asked, response_format, instructions, max_output_tokens: maxOutputTokens };
}

function textOf({ role, content }: Prompted): string {
  if (role !== 'user' && role !== 'assistant')
    return refuse(`${role} messages${role === 'system' ? ' amid others' : ''}`);
  return content.map((part) => (part.type === 'text' ? part.text : refuse(`${part.type} parts`))).join('\n');
}

function refuse(functionality: string): never {
  const message = `Searchgate answers the texts of user and assistant, without ${functionality}.`;
  throw new UnsupportedFunctionalityError({ functionality, message });
}

type Part = LanguageModelV4StreamPart;

interface StreamPartsOptions {
  readonly events: ReadableStream<EventSourceMessage>;
  readonly call: StreamedCall;
  readonly warnings: SharedV4Warning[];
  /** Whether each event also becomes a `raw` part. */
  readonly includeRawChunks: boolean;
  /** Called with the error of an `error` part before the part is emitted. */
  readonly onError: (error: unknown) => void;
}

/**
 * The stream parts of a streamed answer. A failure becomes an `error` part, not an error of the stream, so that earlier parts still reach the
 * application; only an abort ends the stream itself.
 */
function streamParts(options: StreamPartsOptions): ReadableStream<Part> {
  const { events, call, warnings, includeRawChunks, onError } = options;
  const source = events.getReader();
  const reader = new StreamReader(call);

  async function next(): Promise<Part[]> {
    try {
      const { done, value } = await source.read();
      if (done) return reader.cut();
      const raw: Part[] = includeRawChunks ? [{ type: 'raw', rawValue: value }] : [];
      return [...raw, ...(await reader.read(value))];
    } catch (error) {
      if (isAbortError(error)) throw error;
      return reader.cut(error);
    }
  }

  return new ReadableStream<Part>({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings });
    },
    async pull(controller) {
      // An event may yield no parts, and a stream is not pulled again until it has got one.
      let parts: Part[] = [];
      while (parts.length === 0) parts = await next();
      for (const part of parts) {
        if (part.type === 'error') onError(part.error);
        controller.enqueue(part);
      }
      if (!reader.hasEnded) return;
      controller.close();
      await source.cancel().catch(() => undefined);
    },
    cancel: (reason) => source.cancel(reason),
  });
}

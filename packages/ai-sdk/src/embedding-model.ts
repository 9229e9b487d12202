import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { convertBase64ToUint8Array } from '@ai-sdk/provider-utils';
import { callFields, checkOptions, embeddingOptions } from './searchgate-options.js';
import { type Connection, createSender, wholeReply } from './send-call.js';
import { embeddingsSchema, replyMetadata } from './wire.js';

/** Most texts of one request, a limit of the gateway. */
const MAX_TEXTS = 2_048;
/** The gateway takes as many characters in one request, if the operator has not changed it. */
const MAX_BYTES = 1_000_000;
/** By this experimental property, the SDK splits long lists by their bytes, too. */
const MAX_INPUT_BYTES = Symbol.for('vercel.ai.embeddingModel.maxInputBytesPerCall');

const readEmbeddings = wholeReply(embeddingsSchema);

/** An embedding model of a gateway, in version 4 of the specification. */
export function embeddingModel(modelId: string, connection: Connection): EmbeddingModelV4 {
  const send = createSender(connection, '/embeddings');
  const model: EmbeddingModelV4 = {
    specificationVersion: 'v4',
    provider: 'searchgate',
    modelId,
    maxEmbeddingsPerCall: MAX_TEXTS,
    supportsParallelCalls: true,
    async doEmbed({ values, dimensions, providerOptions, ...call }) {
      const own = checkOptions(embeddingOptions, providerOptions);
      const asked = { model: modelId, input: values, dimensions, input_type: own.inputType, ...callFields(own) };
      // A quarter of the size of numbers.
      const sent = { ...call, body: { ...asked, encoding_format: 'base64' }, read: readEmbeddings };
      const { value, responseHeaders: headers } = await send(sent);
      const { data, ...body } = value;
      return {
        embeddings: data.map(({ embedding }) => numbersOf(embedding)),
        usage: { tokens: body.usage.prompt_tokens },
        providerMetadata: replyMetadata(body),
        response: { headers, body },
        warnings: [],
      };
    },
  };
  return Object.assign(model, { [MAX_INPUT_BYTES]: MAX_BYTES });
}

/** Little-endian floats of 32 bits. */
function numbersOf(base64: string): number[] {
  const { buffer, byteLength } = convertBase64ToUint8Array(base64);
  const view = new DataView(buffer);
  return Array.from({ length: byteLength / 4 }, (_, at) => view.getFloat32(at * 4, true));
}

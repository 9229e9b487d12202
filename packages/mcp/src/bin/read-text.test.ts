import { expect, it } from 'vitest';
import { readText } from './read-text.js';

it('reads a text whose characters are cut between chunks', async () => {
  const bytes = new TextEncoder().encode('Brücke 🌉');
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect(await readText(new Response(body))).toBe('Brücke 🌉');
  expect(await readText(new Response(null))).toBe('');
});

it('stops at the limit', async () => {
  expect(await readText(new Response('12345'), 5)).toBe('12345');
  await expect(readText(new Response('123456'), 5)).rejects.toThrow('more than 5 bytes');
});

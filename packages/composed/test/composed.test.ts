import { afterAll, describe, expect, it } from 'vitest';
import { ask, page, saying, startChat } from './host.js';

const SCRIPT = {
  search: () => [
    page('https://a.example/bridge', 'The Zephyr Bridge opened on 14 May 2021 and cost 3.5 million euros.', 'Zephyr Bridge'),
    page('https://b.example/news', 'Harlan Cole designed the Zephyr Bridge.'),
  ],
};
const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

async function serve(...args: Parameters<typeof saying>) {
  const server = await startChat(saying(...args));
  closers.push(server.close);
  return server;
}

describe('an answer', () => {
  it('cites', async () => {
    const { baseUrl, requests } = await serve(
      'The bridge opened on May 14, 2021 [1]. It was designed by Harlan Cole.[2] It cost 9.5 million euros [1]. See [this](https://evil.example/x?y=1) and more.',
    );
    for (const isLive of [false, true]) {
      const seen = await ask({ baseUrl, script: SCRIPT, isLive });
      console.log(seen);
    }
    console.log(requests[0]?.body.messages);
  });
});

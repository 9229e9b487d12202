import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decompress } from './decode-body.js';

describe('a compressed body', () => {
  it.each(['gzip', 'GZIP', 'x-gzip'])('is undone whatever the case of its coding: %s', async (coding) => {
    expect(String(await decompress(gzipSync('words'), coding, 5))).toBe('words');
  });

  it('of an unknown coding rejects', async () => {
    const undone = decompress(Buffer.from('words'), 'zstd', 5);
    await expect(undone).rejects.toThrow('unknown content-encoding "zstd"');
  });

  it('of more than the most bytes rejects', async () => {
    await expect(decompress(gzipSync('words'), 'gzip', 4)).rejects.toThrow(RangeError);
  });
});

import { spawn } from 'node:child_process';

/** Waits for the end of its input, then ends the server named in the folder (if one runs) and removes the folder. */
const REAPER = `
cat > /dev/null
pid=$(head -n 1 "$1/$2" 2> /dev/null)
[ -n "$pid" ] && kill -QUIT "$pid" 2> /dev/null
for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null && sleep 0.1 && continue
  break
done
rm -rf "$1"
`;

/**
 * Cleans up after a test process however it ends, also by `kill -9`: a shell of its own process group reads from a pipe that the
 * operating system closes together with this process. Waiting for it does not keep this process alive.
 *
 * @param folder the server's temporary folder. @param pidFile the file in it whose first line is the server's process id.
 * @returns cleans up now, and resolves once that is done.
 */
export function reapOnExit(folder: string, pidFile: string): () => Promise<void> {
  const reaper = spawn('sh', ['-c', REAPER, 'reaper', folder, pidFile], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    reaper.once('exit', () => resolve());
  });
  reaper.unref();
  (reaper.stdin as unknown as { unref(): void }).unref();
  return async () => {
    reaper.ref();
    reaper.stdin.end();
    await ended;
  };
}

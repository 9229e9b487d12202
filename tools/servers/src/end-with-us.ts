import { spawn } from 'node:child_process';

/**
 * Ends a server and removes its folder when this process ends, however it ends: a small shell reads from a pipe that only we hold the
 * other end of, and the system closes the pipe even when we are killed. A handler of `exit` would not run then.
 * @returns what calls the watch off, for when the server has ended by itself.
 */
export function endWithUs(pid: number, folder: string): () => void {
  const script = 'read -r _; kill -9 "$1" 2>/dev/null; rm -rf "$2"';
  const watch = spawn('sh', ['-c', script, 'sh', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // In a process group of its own: Ctrl-C reaches the whole group of a terminal, and would end the watch first.
    detached: true,
  });
  watch.unref();
  (watch.stdin as { unref?: () => void } | null)?.unref?.();
  return () => watch.kill('SIGKILL');
}

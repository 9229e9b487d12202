import { spawn } from 'node:child_process';

/**
 * Ends a server and removes its folder when this process ends, even by a kill: a small shell reads from a pipe of this process, and the system
 * closes the pipe in any case. A handler of `exit` would not run after a kill.
 * @returns a function that cancels the watch, for a server that has ended by itself.
 */
export function endWithUs(pid: number, folder: string): () => void {
  const script = 'read -r _; kill -9 "$1" 2>/dev/null; rm -rf "$2"';
  const watch = spawn('sh', ['-c', script, 'sh', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // In its own process group: Ctrl-C in a terminal reaches the whole group, and would end the watch first.
    detached: true,
  });
  watch.unref();
  (watch.stdin as { unref?: () => void } | null)?.unref?.();
  return () => watch.kill('SIGKILL');
}

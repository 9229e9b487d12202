import { createBirpc } from 'birpc';

export function announceReady(value?: unknown): void {
  process.send?.({ ready: value });
}

/** Lets the parent call these functions over IPC. The process ends with its parent. */
export function serve(functions: object): void {
  createBirpc(functions, {
    post: (message) => process.send?.(message),
    on: (receive) => process.on('message', receive),
  });
  process.on('disconnect', () => process.exit(0));
}

interface Command {
  readonly id: number;
  readonly command: string;
  readonly argument?: unknown;
}

/** What a process can be asked over IPC, by name. */
export type CommandHandlers = Readonly<Record<string, (argument: unknown) => unknown>>;

/** Tells the parent that this process is up. */
export function announceReady(result?: unknown): void {
  process.send?.({ replyTo: 0, result });
}

/** Answers the parent's commands, and ends the process when the parent goes away, so that none outlives the benchmark. */
export function serveCommands(handlers: CommandHandlers): void {
  process.on('message', (command: Command) => {
    void reply(handlers, command);
  });
  process.on('disconnect', () => process.exit(0));
}

async function reply(handlers: CommandHandlers, { id, command, argument }: Command): Promise<void> {
  const handler = handlers[command];
  if (handler === undefined) return;
  try {
    process.send?.({ replyTo: id, result: await handler(argument) });
  } catch (error) {
    process.send?.({ replyTo: id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

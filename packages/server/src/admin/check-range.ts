import type { Command } from 'commander';

interface Range {
  /** ISO dates, or ISO date-times in UTC. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Ends the command where no time lies between two options. No one means that, and its empty output would look like an answer. */
export function checkRange(command: Command, { since, until }: Range): void {
  if (since === undefined || until === undefined || since < until) return;
  command.error(`error: option '--until' (${until}) must be after '--since' (${since}): it is not included itself.`);
}

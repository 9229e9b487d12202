import { readFileSync } from 'node:fs';
import os from 'node:os';

const TICKS_PER_SECOND = 100;

/**
 * Watches, from now on, how much of the machine is used by anything but this process and its children: others at work make a run's absolute
 * figures and tails too high.
 *
 * @returns a function to be called when all children have ended: the share of all cores, or null where the system does not tell.
 */
export function watchOtherWork(): () => number | null {
  const machineBefore = machineSeconds();
  const ownBefore = ownSeconds();
  return () => {
    const machine = machineSeconds();
    const own = ownSeconds();
    if (own === null || ownBefore === null) return null;
    const others = machine.busy - machineBefore.busy - (own - ownBefore);
    return Math.max(0, others / (machine.total - machineBefore.total));
  };
}

function machineSeconds(): { busy: number; total: number } {
  let busy = 0;
  let idle = 0;
  for (const { times } of os.cpus()) {
    busy += (times.user + times.nice + times.sys + times.irq) / 1_000;
    idle += times.idle / 1_000;
  }
  return { busy, total: busy + idle };
}

/** User and system time of this process and of all its children that have ended, from Linux's own books. */
function ownSeconds(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
    return ticks / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

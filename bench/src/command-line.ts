import { parseArgs } from 'node:util';
import { FULL, type Mode, QUICK } from './modes.js';
import type { OwnTargetId } from './stage.js';
import { TARGETS, type TargetId } from './targets.js';

export interface CommandLine {
  readonly mode: Mode;
  readonly targets: readonly TargetId[];
  readonly measurements: ReadonlySet<MeasurementName>;
  /** Servers to ask a million times each. */
  readonly soak: readonly OwnTargetId[];
  readonly upstreamDelayMs: number;
  readonly profile: boolean;
  readonly write: boolean;
}

const MEASUREMENTS = ['answers', 'latency', 'event-loop', 'models', 'ledger', 'start-up', 'keys'] as const;
export type MeasurementName = (typeof MEASUREMENTS)[number];

const TARGET_IDS = TARGETS.map(({ id }) => id);

const USAGE = `npm run bench -- [options]
  --quick            about a minute instead of about eight
  --write            make this run the published one: docs/benchmarks.md and bench/results/latest.json
  --soak             also a million answers each through the gateway in Express and in Koa, for its memory
  --only a,b         only these servers: ${TARGET_IDS.join(', ')}
  --measure a,b      only these measurements: ${MEASUREMENTS.join(', ')}
  --delay-ms n       let the provider wait before it answers; default 0
  --profile          leave a processor profile of every server in bench/results/profiles`;

/** @throws Error saying how to call it. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: args.filter((argument) => argument !== '--'),
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      soak: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      only: { type: 'string', default: TARGET_IDS.join(',') },
      measure: { type: 'string', default: MEASUREMENTS.join(',') },
      'delay-ms': { type: 'string', default: '0' },
    },
  });
  return {
    mode: values.quick ? QUICK : FULL,
    targets: choices(values.only, TARGET_IDS),
    measurements: new Set(choices(values.measure, MEASUREMENTS)),
    soak: values.soak ? ['express-gateway', 'koa-gateway'] : [],
    upstreamDelayMs: Number(values['delay-ms']),
    profile: values.profile,
    write: values.write,
  };
}

function choices<Choice extends string>(list: string, known: readonly Choice[]): Choice[] {
  return list.split(',').map((text) => {
    const choice = known.find((each) => each === text);
    if (choice === undefined) throw new Error(`unknown: "${text}"\n${USAGE}`);
    return choice;
  });
}

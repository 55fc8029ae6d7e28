import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { bytes, duration } from '../../format/numbers.ts';

/** Shown in parts of their own. */
const ELSEWHERE = new Set([
  'error',
  'request',
  'response',
  'logs',
  'frontend',
  'probe_data',
  'error_chain',
  'occurrences',
  'resource_failure',
  'stack',
  'symbolication',
  'releases',
  'grouping',
]);

/** Returns the facts about the environment as names and blocks, with bytes and durations in a readable form. */
export function environmentBlocks(context: DebugBundle['context']): [name: string, block: unknown][] {
  return Object.entries(context).flatMap(([name, block]): [string, unknown][] => {
    if (ELSEWHERE.has(name) || block === null || block === undefined) return [];
    return [[name, name === 'runtime' && context.runtime !== null ? readable(context.runtime) : block]];
  });
}

function readable(runtime: NonNullable<DebugBundle['context']['runtime']>): unknown {
  const { uptime_sec: uptime, memory, ...rest } = runtime;
  return {
    ...rest,
    ...(uptime === null ? {} : { uptime: duration(uptime * 1000) }),
    ...(memory === null
      ? {}
      : {
          memory: Object.fromEntries(
            Object.entries(memory).flatMap(([name, size]) => (size === null ? [] : [[name, bytes(size)]])),
          ),
        }),
  };
}

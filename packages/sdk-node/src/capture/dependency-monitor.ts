import type { OutgoingCall } from './outgoing-calls.ts';

/** A row of `context.dependencies` (docs/contract/clients.md 4.5). */
interface DependencyState {
  name: string;
  status: 'ok' | 'degraded' | 'failed';
  notes: string;
}

const MAX_HOSTS = 100;
const MAX_REPORTED = 20;
const MAX_CALLS = 10;
const RECENT_MS = 60_000;
/** The reasons of calls that the program itself ended by a signal: its own, and those of undici and axios. */
const GIVEN_UP = /^(?:AbortError|ABORT_ERR|UND_ERR_ABORTED|ERR_CANCELED)$/;

interface HostRecord {
  calls: { isFailed: boolean; isDegraded: boolean }[];
  lastAt: number;
  notes: string;
}

/** Remembers how the last calls to each host ended. Calls that the program gave up say nothing about the host. */
export interface DependencyMonitor {
  record(call: OutgoingCall, now: number): void;
  /** Reports the state of these hosts, or, if there are none, of those that the process called in the last minute. */
  report(hosts: readonly string[], now: number): DependencyState[];
}

/** An empty monitor, bounded by 100 hosts of which the least recently called leaves. */
export function createDependencyMonitor(): DependencyMonitor {
  const hosts = new Map<string, HostRecord>();
  return {
    record(call, now) {
      if (GIVEN_UP.test(call.failureReason ?? '')) return;
      const host = hosts.get(call.host) ?? { calls: [], lastAt: now, notes: '' };
      hosts.delete(call.host);
      const isFailed = call.status === null || call.status >= 500;
      host.calls.push({ isFailed, isDegraded: isFailed || call.status === 429 });
      if (host.calls.length > MAX_CALLS) host.calls.shift();
      host.lastAt = now;
      host.notes = `last ${call.status ?? call.failureReason ?? 'failure'} after ${Math.round(call.durationMs)} ms`;
      hosts.set(call.host, host);
      const oldest = hosts.keys().next();
      if (hosts.size > MAX_HOSTS && !oldest.done) hosts.delete(oldest.value);
    },
    report(called, now) {
      const names =
        called.length > 0
          ? called
          : [...hosts].filter(([, { lastAt }]) => now - lastAt <= RECENT_MS).map(([name]) => name);
      return names.slice(-MAX_REPORTED).flatMap((name) => {
        const host = hosts.get(name);
        return host === undefined ? [] : [{ name, status: statusOf(host), notes: host.notes }];
      });
    },
  };
}

function statusOf({ calls }: HostRecord): DependencyState['status'] {
  if (calls.at(-1)?.isFailed) return 'failed';
  return calls.some(({ isDegraded }) => isDegraded) ? 'degraded' : 'ok';
}

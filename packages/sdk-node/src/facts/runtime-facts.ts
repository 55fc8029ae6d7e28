import { readFileSync } from 'node:fs';
import { attempt } from '../client/attempt.ts';
import { loadOs, loadWorkerThreads } from '../load-builtin.ts';

/** `payload.runtime` of an exception (docs/contract/clients.md 4.6). */
interface RuntimeFacts {
  name: 'node';
  version: string;
  platform: string;
  arch: string;
  pid: number;
  cwd: string | null;
  hostname: string | null;
  uptime_sec: number;
  thread_id: number;
  framework_version: string | null;
  memory: { rss: number; heap_total: number; heap_used: number; external: number };
}

const MEMORY_MS = 100;

let hostname: string | null | undefined;
let memory: (RuntimeFacts['memory'] & { atMs: number }) | null = null;

/** The process at this moment. */
export function readRuntimeFacts(frameworkVersion: string | null): RuntimeFacts {
  // Deno asks for a permission.
  if (hostname === undefined) hostname = attempt(() => loadOs().hostname()) ?? null;
  return {
    name: 'node',
    version: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    pid: process.pid,
    cwd: workingDirectory(),
    hostname,
    uptime_sec: Math.round(process.uptime() * 1000) / 1000,
    thread_id: loadWorkerThreads().threadId,
    framework_version: frameworkVersion,
    memory: readMemory(),
  };
}

/** The system is asked at most ten times a second: it costs more than everything else of an exception. */
function readMemory(): RuntimeFacts['memory'] {
  const nowMs = performance.now();
  if (memory === null || nowMs - memory.atMs > MEMORY_MS) {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    memory = { atMs: nowMs, rss, heap_total: heapTotal, heap_used: heapUsed, external };
  }
  const { rss, heap_total, heap_used, external } = memory;
  return { rss, heap_total, heap_used, external };
}

/** Throws inside Node when the directory no longer exists. */
export function workingDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

let containerId: string | null | undefined;

/** The first container id among the mounts of this process, read once. */
export function readContainerId(): string | null {
  if (containerId !== undefined) return containerId;
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'latin1').slice(0, 262_144);
    containerId = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/.exec(mounts)?.[0] ?? null;
  } catch {
    containerId = null;
  }
  return containerId;
}

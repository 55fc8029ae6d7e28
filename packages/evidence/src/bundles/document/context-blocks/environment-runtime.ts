import type {
  EnvironmentBlock,
  RuntimeBlock,
  RuntimeMemory,
} from '@culprit/contract/incidents/bundle-context';
import type { JsonObject } from '../../../events/envelope/json.ts';
import type { NormalizedEvent } from '../../../events/normalize/event.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { evidenceText, evidenceTextOrNull } from '../../evidence/evidence-text.ts';
import { mapAt, numberAt, textAt, valueAt } from '../../evidence/read-open-map.ts';
import { redactMap } from '../../evidence/redact-evidence.ts';
import { boundMap, SMALL_MAP_BYTES_MAX } from '../size-bounds.ts';

/**
 * Returns the environment of the process: runtime facts, then `context.environment`, of the first event that has any.
 */
export function environmentBlock(blockOrder: readonly SampleEvidence[]): EnvironmentBlock | null {
  for (const { event } of blockOrder) {
    const facts = environmentFacts(event);
    if (facts === null) continue;
    return {
      version: 1,
      os: evidenceTextOrNull(facts.os),
      host: evidenceTextOrNull(facts.host),
      container_id: evidenceTextOrNull(facts.containerId),
    };
  }
  return null;
}

/** Returns the environment facts of the event; null when it has none. */
export function environmentFacts(
  event: NormalizedEvent,
): { os: string | null; host: string | null; containerId: string | null } | null {
  const runtime = runtimeFacts(event);
  const environment = mapAt(event.context, 'environment');
  const os = textAt(runtime, 'platform') ?? textAt(environment, 'os') ?? textAt(environment, 'platform');
  const host = textAt(runtime, 'hostname') ?? textAt(environment, 'host') ?? textAt(environment, 'hostname');
  const containerId = textAt(environment, 'container_id');
  return os === null && host === null && containerId === null ? null : { os, host, containerId };
}

/** The process itself. Without runtime facts, what the primary event's service says about its runtime. */
export function runtimeBlock(blockOrder: readonly SampleEvidence[]): RuntimeBlock | null {
  const withFacts = blockOrder.find((sample) => runtimeFacts(sample.event) !== null);
  const event = (withFacts ?? blockOrder[0])?.event;
  if (event === undefined) return null;
  const facts = runtimeFacts(event);
  if (facts === null && event.service.runtime === null && event.service.framework === null) return null;

  const text = (key: string): string | null => evidenceTextOrNull(textAt(facts, key));
  return {
    version: 1,
    name: text('name') ?? evidenceTextOrNull(event.service.runtime),
    runtime_version: text('version'),
    platform: text('platform'),
    arch: text('arch'),
    pid: numberAt(facts, 'pid'),
    cwd: text('cwd'),
    uptime_sec: numberAt(facts, 'uptime_sec'),
    hostname: text('hostname'),
    thread_id: text('thread_id') ?? numberAt(facts, 'thread_id'),
    framework: evidenceTextOrNull(event.service.framework),
    framework_version: text('framework_version'),
    memory: memoryFacts(mapAt(facts, 'memory')),
    framework_extras: frameworkExtras(facts),
  };
}

/** Returns the facts about the process that the library sent; null when there are none. */
export function runtimeFacts({ payload }: NormalizedEvent): JsonObject | null {
  if (payload.kind !== 'exception' || payload.runtime === null) return null;
  return Object.keys(payload.runtime).length === 0 ? null : payload.runtime;
}

/** The usual keys in bytes; a JVM names its heap differently. */
function memoryFacts(memory: JsonObject | null): RuntimeMemory | null {
  if (memory === null) return null;
  const totalBytes = numberAt(memory, 'total_bytes');
  const freeBytes = numberAt(memory, 'free_bytes');
  const usedBytes = totalBytes === null || freeBytes === null ? null : totalBytes - freeBytes;
  return {
    rss: numberAt(memory, 'rss'),
    heap_total: numberAt(memory, 'heap_total') ?? totalBytes,
    heap_used: numberAt(memory, 'heap_used') ?? usedBytes,
    external: numberAt(memory, 'external'),
    peak: numberAt(memory, 'peak'),
  };
}

/** The framework's own facts, and the two of the runtime that only one language sends. */
function frameworkExtras(facts: JsonObject | null): JsonObject | null {
  const extras: JsonObject = Object.create(null);
  for (const [key, value] of Object.entries(mapAt(facts, 'framework_extras') ?? {})) extras[key] = value;
  for (const key of ['jvm_name', 'gc_server']) {
    const value = valueAt(facts, key);
    if (value !== null) extras[key] = typeof value === 'string' ? evidenceText(value) : value;
  }
  return Object.keys(extras).length === 0 ? null : boundMap(redactMap(extras), SMALL_MAP_BYTES_MAX);
}

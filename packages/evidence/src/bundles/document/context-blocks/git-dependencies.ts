import type { DependenciesBlock, DependencyItem, GitBlock } from '@culprit/contract/incidents/bundle-context';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../events/envelope/json.ts';
import type { Breadcrumb } from '../../../events/normalize/event.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { evidenceText, evidenceTextOrNull } from '../../evidence/evidence-text.ts';
import { booleanAt, mapAt, textAt, valueAt } from '../../evidence/read-open-map.ts';
import { callOutcome, outcomeText, outgoingCalls } from './server-trail.ts';

const DEPENDENCIES_MAX = 50;
const COMMIT_SHORT_LENGTH = 7;
const GIT_SOURCES = ['config', 'env', 'local'] as const;
const DEPENDENCY_STATUSES = ['ok', 'degraded', 'failed'] as const;

/** `context.git` of the first event that has it. */
export function gitBlock(blockOrder: readonly SampleEvidence[]): GitBlock | null {
  for (const { event } of blockOrder) {
    const git = mapAt(event.context, 'git');
    if (git === null) continue;
    const commit = evidenceTextOrNull(textAt(git, 'commit'));
    return {
      version: 1,
      commit,
      commit_short:
        evidenceTextOrNull(textAt(git, 'commit_short')) ?? commit?.slice(0, COMMIT_SHORT_LENGTH) ?? null,
      branch: evidenceTextOrNull(textAt(git, 'branch')),
      repo: evidenceTextOrNull(textAt(git, 'repo')),
      dirty: booleanAt(git, 'dirty'),
      source: GIT_SOURCES.find((source) => source === textAt(git, 'source')) ?? 'unknown',
    };
  }
  return null;
}

/**
 * `context.dependencies` of the first event that has it: a list of `{name, status, notes}`, or a map from name to a
 * status or to `{status, notes}`, as health checks report it. Where none has it, the hosts that the service of the primary event called.
 */
export function dependenciesBlock(
  primary: SampleEvidence,
  blockOrder: readonly SampleEvidence[],
): DependenciesBlock | null {
  for (const { event } of blockOrder) {
    const items = dependencyItems(valueAt(event.context, 'dependencies'));
    if (items.length > 0) return { version: 1, items };
  }
  const items = calledHosts(outgoingCalls(primary));
  return items.length === 0 ? null : { version: 1, items };
}

/** Each called host: failed when its last call did, degraded when an earlier one did or it asked for fewer calls. */
function calledHosts(calls: readonly Breadcrumb[]): DependencyItem[] {
  const inOrder = calls.toSorted((a, b) => (a.timestampMs ?? 0) - (b.timestampMs ?? 0));
  const ofHost = Map.groupBy(inOrder, ({ data }) => hostOf(textAt(data, 'url')));
  const items: DependencyItem[] = [];
  for (const [host, calls] of ofHost) {
    const last = calls.at(-1);
    if (host === null || last === undefined || items.length === DEPENDENCIES_MAX) continue;
    const outcomes = calls.map(callOutcome);
    const isDegraded = outcomes.some((outcome) => outcome.isFailed || outcome.isDegraded);
    items.push({
      name: evidenceText(host),
      status: callOutcome(last).isFailed ? 'failed' : isDegraded ? 'degraded' : 'ok',
      notes: evidenceText(`last ${outcomeText(last)}`),
    });
  }
  return items;
}

/** Host and port of an absolute address. */
function hostOf(address: string | null): string | null {
  const host =
    address === null ? undefined : /^[a-z][a-z0-9+.-]{0,31}:\/\/([^/?#\s]{1,512})/i.exec(address)?.[1];
  return host === undefined ? null : host.slice(host.lastIndexOf('@') + 1).toLowerCase() || null;
}

function dependencyItems(value: JsonValue): DependencyItem[] {
  const list = isJsonObject(value) ? valueAt(value, 'items') : value;
  if (Array.isArray(list)) {
    const named = list.filter(isJsonObject).filter((item) => textAt(item, 'name') !== null);
    return named.slice(0, DEPENDENCIES_MAX).map((item) => dependencyItem(textAt(item, 'name') ?? '', item));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .slice(0, DEPENDENCIES_MAX)
    .map(([name, state]) => dependencyItem(name, isJsonObject(state) ? state : { status: state }));
}

function dependencyItem(name: string, state: JsonObject): DependencyItem {
  return {
    name: evidenceText(name),
    status: DEPENDENCY_STATUSES.find((status) => status === textAt(state, 'status')) ?? 'unknown',
    notes: evidenceTextOrNull(textAt(state, 'notes')),
  };
}

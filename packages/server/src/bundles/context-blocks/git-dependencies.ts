import type { DependenciesBlock, DependencyItem, GitBlock } from '@culprit/contract/bundle-context';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/json.ts';
import type { SampleEvidence } from '../bundle-evidence.ts';
import { evidenceText, evidenceTextOrNull } from '../evidence-text.ts';
import { booleanAt, mapAt, textAt, valueAt } from '../read-open-map.ts';

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
 * status or to `{status, notes}`, as health checks report it.
 */
export function dependenciesBlock(blockOrder: readonly SampleEvidence[]): DependenciesBlock | null {
  for (const { event } of blockOrder) {
    const items = dependencyItems(valueAt(event.context, 'dependencies'));
    if (items.length > 0) return { version: 1, items };
  }
  return null;
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

import { type ActiveRule, type CompiledRules, compileRules } from '@culprit/evidence/capture/evaluate-rules';
import { readStackRules, type StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { Queryable } from '../platform/db/database.ts';
import { prefixedId } from '../platform/ids.ts';
import { findEnabledRules } from './capture.queries.ts';
import { activeRuleOf } from './rule-records.ts';

/**
 * The compiled rules of projects. What is remembered carries the version of the project's rules, and each admission
 * names the version in force, so nothing outdated is ever used (docs/contract/reliability.md A9).
 */
export interface RuleCache {
  /**
   * The rules of projects, one query for all whose version is not here.
   * @param versions by project id, as admissions named them
   * @returns at these versions or later ones, by project id
   */
  load(versions: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, ProjectRules>>;
}

/** The rules of the event intake, and those of the fingerprints that it compares. */
export interface ProjectRules {
  capture: CompiledRules;
  stack: readonly StackRule[];
}

/** The limit of projects in the cache. */
const PROJECTS_MAX = 1000;
/** The limit of all their matchers together, in characters of JSON. */
const CHARS_MAX = 16 * 1024 * 1024;

interface Remembered {
  version: number;
  rules: ProjectRules;
  chars: number;
}

export function createRuleCache(
  database: Queryable,
  limits: { projectsMax: number; charsMax: number } = { projectsMax: PROJECTS_MAX, charsMax: CHARS_MAX },
): RuleCache {
  // In the order of their last use.
  const remembered = new Map<string, Remembered>();
  let charsHeld = 0;

  function invalidate(projectId: string): void {
    charsHeld -= remembered.get(projectId)?.chars ?? 0;
    remembered.delete(projectId);
  }

  function remember(projectId: string, entry: Remembered): void {
    invalidate(projectId);
    remembered.set(projectId, entry);
    charsHeld += entry.chars;
    for (const oldest of remembered.keys()) {
      if (remembered.size <= limits.projectsMax && charsHeld <= limits.charsMax) break;
      invalidate(oldest);
    }
  }

  return {
    async load(versions) {
      const loaded = new Map<string, ProjectRules>();
      const missing: string[] = [];
      for (const [projectId, version] of versions) {
        const known = remembered.get(projectId);
        if (known?.version !== version) {
          missing.push(projectId);
          continue;
        }
        remembered.delete(projectId);
        remembered.set(projectId, known);
        loaded.set(projectId, known.rules);
      }
      if (missing.length === 0) return loaded;
      for (const [projectId, entry] of await read(database, missing)) {
        loaded.set(projectId, entry.rules);
        remember(projectId, entry);
      }
      return loaded;
    },
  };
}

async function read(database: Queryable, projectIds: readonly string[]): Promise<Map<string, Remembered>> {
  const found = new Map<
    string,
    { version: number; stackRules: string[]; rules: ActiveRule[]; chars: number }
  >();
  for (const row of await findEnabledRules(database, projectIds)) {
    let project = found.get(row.project_id);
    if (project === undefined) {
      project = { version: row.capture_version, stackRules: row.stack_rules, rules: [], chars: 0 };
      found.set(row.project_id, project);
    }
    if (row.rule_id === null) continue;
    project.rules.push(activeRuleOf(row));
    project.chars += JSON.stringify(row.matcher).length;
  }
  const read = new Map<string, Remembered>();
  for (const [projectId, { version, stackRules, rules, chars }] of found) {
    const capture = compileRules(prefixedId('proj', projectId), rules);
    read.set(projectId, { version, rules: { capture, stack: readStackRules(stackRules) }, chars });
  }
  return read;
}

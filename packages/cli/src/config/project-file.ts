import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { usageError } from '../cli-error.ts';
import { secretKindOf } from '../output/secrets.ts';
import { visibleLine } from '../output/visible-text.ts';
import { type Environment, homeOf } from './folders.ts';
import { readSettingsFile } from './json-file.ts';
import { writeWhole } from './write-file.ts';

/** Settings that are committed with a project: no secrets, and nothing in it is trusted with one. */
export interface ProjectFile {
  path: string;
  url: string | null;
  projectId: string | null;
  service: string | null;
  environment: string | null;
  /** True if no user here can allow an agent to change anything. */
  forbidsAgentWrites: boolean;
}

export const PROJECT_FILE = join('.culprit', 'config.json');
const KEYS = {
  url: 'text',
  project_id: 'text',
  service: 'text',
  environment: 'text',
  agent_writes: 'boolean',
} as const;

/** The nearest project file upwards, not beyond the repository or the home folder. */
export function findProjectFile(from: string, environment: Environment): string | null {
  const home = homeOf(environment);
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE);
    if (existsSync(path)) return path;
    if (existsSync(join(folder, '.git')) || folder === home || dirname(folder) === folder) return null;
  }
}

export function readProjectFile(from: string, environment: Environment): ProjectFile | null {
  const path = findProjectFile(from, environment);
  const read = path === null ? null : readSettingsFile(path, KEYS);
  if (path === null || read === null) return null;
  const text = (key: keyof typeof KEYS): string | null => {
    const value = read.get(key);
    if (typeof value !== 'string') return null;
    if (secretKindOf(value) !== 'other') {
      throw usageError(
        `${visibleLine(path)} holds a secret in "${key}".`,
        'this file is committed: revoke the token, and keep secrets in the environment',
      );
    }
    return value;
  };
  return {
    path,
    url: text('url'),
    projectId: text('project_id'),
    service: text('service'),
    environment: text('environment'),
    forbidsAgentWrites: read.get('agent_writes') === false,
  };
}

/** Changes some keys of the project file of a folder, or makes it. */
export function writeProjectFile(path: string, changes: Readonly<Record<string, string | boolean>>): void {
  writeWhole(path, projectFileText(path, changes), 0o644);
}

/** The content of a project file with some keys changed. */
export function projectFileText(path: string, changes: Readonly<Record<string, string | boolean>>): string {
  const read = readSettingsFile(path, KEYS) ?? new Map<string, unknown>();
  return `${JSON.stringify({ ...Object.fromEntries(read), ...changes }, null, 2)}\n`;
}

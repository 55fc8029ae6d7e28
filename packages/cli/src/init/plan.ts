import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { HostFile } from '../agents/agent-hosts.ts';
import { type HostEntry, withEntry } from '../agents/host-entry.ts';
import { usageError } from '../cli-error.ts';
import { isObject, readIfThere } from '../config/json-file.ts';
import { PROJECT_FILE, projectFileText } from '../config/project-file.ts';
import type { FileChange } from '../output/file-diff.ts';
import type { Application, ApplicationFolder } from './application.ts';
import type { ChosenFramework } from './choose-frameworks.ts';
import { findEntryFile, moduleKind, withLineOnTop } from './entry-file.ts';
import { chooseEnvironmentFile, valueIn, withIgnored, withVariables } from './environment-file.ts';
import type { FileEdit, FrameworkSetup } from './setup-file.ts';
import { existingVariant, placeOf } from './start-lines.ts';

/**
 * A file before and after the change; its path is below the application, that of an agent's settings may be absolute.
 */
export type PlannedFile = FileChange;

/** The values with which the application is connected. */
export interface PlanValues {
  /** Null in local mode, which needs no server. */
  server: { origin: string; projectId: string } | null;
  /** Tokens by the variable that holds them. */
  tokens: Readonly<Record<string, string>>;
  /** Null when the library finds it by itself, or none was named. */
  service: string | null;
  environment: string | null;
  /** Entry file that a flag or a person named. */
  entry: string | null;
  /** The coding agent that should read incidents. */
  agent: { file: HostFile; entry: HostEntry } | null;
}

export interface Plan {
  files: PlannedFile[];
  /** The steps that are left to the user, as whole sentences. */
  remarks: string[];
  environmentPath: string;
}

const IGNORE_FILE = '.gitignore';
/** Everything that libraries write stays out of the repository; the settings do not. */
const CULPRIT_IGNORES = '*\n!.gitignore\n!config.json\n';
const LOCAL_MODE = { CULPRIT_MODE: 'local' } as const;

/** Every file as it would be. Nothing is written, and planning twice gives the same. */
export function planFiles(
  application: Application,
  frameworks: readonly ChosenFramework[],
  values: PlanValues,
): Plan {
  const { directory } = application;
  const files = new PlannedFiles(directory);
  const remarks: string[] = [];
  for (const { setup } of frameworks) planStart(application, setup, values, files, remarks);
  const environment = chooseEnvironmentFile(directory);
  files.change(environment.path, (text) => withVariables(text, variablesOf(frameworks, values)), true);
  const { ignoreLine } = environment;
  if (ignoreLine !== null && files.isPlanned(environment.path)) {
    files.change(IGNORE_FILE, (text) => withIgnored(text, ignoreLine));
  }
  const { server, service, environment: named } = values;
  files.change(PROJECT_FILE, () =>
    projectFileText(join(directory, PROJECT_FILE), {
      ...(server === null ? {} : { url: server.origin, project_id: server.projectId }),
      service: service ?? application.service,
      ...(named === null ? {} : { environment: named }),
    }),
  );
  files.change(join(dirname(PROJECT_FILE), IGNORE_FILE), () => CULPRIT_IGNORES);
  const { agent } = values;
  if (agent !== null) {
    const { file } = agent;
    const entry = (text: string) => withEntry(file, text === '' ? null : text, agent.entry);
    // Its other servers may have secrets in their lines.
    files.change(file.path, entry, existsSync(resolve(directory, file.path)));
  }
  return { files: files.all, remarks, environmentPath: environment.path };
}

/** Variables that the libraries read, with the token that each of them has already. */
export function tokenVariables(setup: FrameworkSetup): string[] {
  return Object.entries(setup.environment).flatMap(([name, source]) =>
    source === 'project_token' ? [name] : [],
  );
}

/** Returns the value of a variable that an earlier run, or a person, has written. */
export function writtenValue({ directory }: Application, name: string): string | null {
  return valueIn(readIfThere(join(directory, chooseEnvironmentFile(directory).path)) ?? '', name);
}

function variablesOf(
  frameworks: readonly ChosenFramework[],
  { server, tokens, service, environment }: PlanValues,
): Record<string, string> {
  const variables: Record<string, string> = {};
  if (server === null) Object.assign(variables, LOCAL_MODE);
  for (const { setup } of server === null ? [] : frameworks) {
    for (const [name, source] of Object.entries(setup.environment)) {
      const value = source === 'base_url' ? server?.origin : tokens[name];
      if (value !== undefined) variables[name] = value;
    }
  }
  if (service !== null) variables.CULPRIT_SERVICE = service;
  if (environment !== null) variables.CULPRIT_ENVIRONMENT = environment;
  return variables;
}

/** New files of the library and its line in the entry file, unless the application starts it already. */
function planStart(
  application: Application,
  setup: FrameworkSetup,
  values: PlanValues,
  files: PlannedFiles,
  remarks: string[],
): void {
  const { directory, manifest } = application;
  for (const { path, content } of setup.files) {
    const place = placeOf(application, setup, path);
    const there = existingVariant(directory, place);
    if (there === null)
      files.change(place, () => withService(content, values.service ?? application.service));
    else if (there.text.includes(setup.library)) files.keep(there.path, there.text);
    else
      remarks.push(
        `${there.path} already exists, so it is not changed. Add this to it:\n\n${withService(content, application.service).trimEnd()}`,
      );
  }
  const { esm, cjs } = setup.importLine;
  if (esm === null && cjs === null) return;
  const entry = values.entry ?? findEntryFile(application, setup.entry);
  if (entry === null) {
    throw usageError('The file that starts the application was not found.', 'give it: --entry FILE');
  }
  const source = readIfThere(join(directory, entry));
  if (source === null) throw usageError(`There is no file ${entry}.`, 'give another: --entry FILE');
  const line = moduleKind(entry, source, manifest) === 'esm' ? esm : cjs;
  if (line === null) {
    throw usageError(
      `${entry} is not a module, and ${setup.library} is imported.`,
      'give another: --entry FILE',
    );
  }
  if (source.includes(setup.library) || source.includes(line)) files.keep(entry, source);
  else files.change(entry, (text) => withLineOnTop(text, line));
  for (const edit of setup.edits) planEdit(application, edit, entry, files, remarks);
}

/** A line of the library in a file that is there; a remark where the file has no place for it. */
function planEdit(
  application: Application,
  edit: FileEdit,
  entry: string,
  files: PlannedFiles,
  remarks: string[],
): void {
  if (!isWanted(application, edit)) return;
  const { directory, manifest } = application;
  const path = edit.file ?? entry;
  const source = readIfThere(join(directory, path));
  const line =
    source !== null && moduleKind(path, source, manifest) === 'esm'
      ? edit.importLine.esm
      : edit.importLine.cjs;
  const edited = source === null ? null : withEdit(source, edit);
  if (source !== null && line !== null && source.includes(line)) return;
  if (edited === null || line === null) remarks.push(`Add this to ${path}: ${edit.hint}.`);
  else files.change(path, (text) => withLineOnTop(withEdit(text, edit) ?? text, line));
}

/** Files of the library name the application. */
function withService(content: string, service: string): string {
  return content.replaceAll('{service}', () => service.replace(/[\\']/g, '\\$&').replace(/\s+/g, ' '));
}

/** Files by path; several parts of the plan may change one file. */
class PlannedFiles {
  readonly #directory: string;
  readonly #files = new Map<string, PlannedFile>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  get all(): PlannedFile[] {
    return [...this.#files.values()];
  }

  isPlanned(path: string): boolean {
    return this.#files.has(path);
  }

  keep(path: string, text: string): void {
    if (!this.#files.has(path)) this.#files.set(path, { path, before: text, after: text, isSecret: false });
  }

  /** A file that would be empty is not made. */
  change(path: string, change: (text: string) => string, isSecret = false): void {
    const known = this.#files.get(path);
    const before = known === undefined ? readIfThere(resolve(this.#directory, path)) : known.before;
    const after = change(known?.after ?? before ?? '');
    if (before === null && after === '') return;
    this.#files.set(path, { path, before, after, isSecret });
  }
}

export function isChange({ before, after }: PlannedFile): boolean {
  return before !== after;
}

export function changeWord({ before, after }: PlannedFile): 'created' | 'modified' | 'unchanged' {
  if (before === null) return 'created';
  return before !== after ? 'modified' : 'unchanged';
}

/** The source with an edit; null where it has no place for it. */
function withEdit(source: string, { places }: FileEdit): string | null {
  const place = places.find(({ find }) => find.test(source));
  return place === undefined ? null : source.replace(place.find, place.put);
}

/** Returns true if the application has a version for which an edit is meant. */
function isWanted({ directory, manifest }: ApplicationFolder, { below }: FileEdit): boolean {
  if (below === null) return true;
  const installed = readIfThere(join(directory, 'node_modules', below.package, 'package.json'));
  const parts = [manifest?.dependencies, manifest?.devDependencies];
  const asked = parts.map((part) => (isObject(part) ? part[below.package] : undefined)).find(Boolean);
  const found = installed === null ? asked : Reflect.get(Object(JSON.parse(installed)), 'version');
  const version = numbersOf(typeof found === 'string' ? found : '');
  const limit = numbersOf(below.version);
  const at = limit.findIndex((number, index) => number !== (version[index] ?? 0));
  return at >= 0 && (version[at] ?? 0) < (limit[at] ?? 0);
}

/** The first version that a text names, such as the range `^4.21.0`. */
function numbersOf(text: string): number[] {
  const [, major = '0', minor = '0', patch = '0'] = /(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text) ?? [];
  return [major, minor, patch].map(Number);
}

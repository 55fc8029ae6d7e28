import { CliError } from '../cli-error.ts';
import { isObject } from '../config/json-file.ts';
import { EXIT } from '../exit-codes.ts';

/** The setup of a client library in a framework: one entry of its `culprit-setup.json`. */
export interface FrameworkSetup {
  /** The package that says it. */
  library: string;
  name: string;
  /** Any of these means the framework; none means any application of that kind. */
  dependencies: readonly string[];
  /** All of these are there as well. */
  companions: readonly string[];
  /** The possible places of its entry file, best first, with `{a,b}` for choices. */
  entry: readonly string[];
  files: readonly { path: string; content: string }[];
  importLine: { esm: string | null; cjs: string | null };
  environment: Readonly<Record<string, 'project_token' | 'base_url'>>;
  /** Events are sent through the server of the page, so the page needs no token. */
  hasRelay: boolean;
  /** Changes of files that are there, each the first that fits. */
  edits: readonly FileEdit[];
  note: string;
}

/** A change of the source of an application. */
export interface FileEdit {
  /** Null: the entry file. */
  file: string | null;
  /** Only with a version of a package that is older. */
  below: { package: string; version: string } | null;
  importLine: { esm: string | null; cjs: string | null };
  /** The searched texts, in this order, and their replacements. */
  places: readonly { find: RegExp; put: string }[];
  /** The instruction for a change by hand if nothing is found. */
  hint: string;
}

const VERSION = 1;

/** Reads the file of a library; throws when it is of another form than this program knows. */
export function parseSetupFile(library: string, text: string): FrameworkSetup[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unknownForm(library);
  }
  if (!isObject(value) || value.setup_version !== VERSION || !Array.isArray(value.frameworks)) {
    throw unknownForm(library);
  }
  return value.frameworks.map((each) => parseFramework(library, each));
}

function parseFramework(library: string, value: unknown): FrameworkSetup {
  if (!isObject(value) || !isObject(value.when) || !isObject(value.import_line) || !isObject(value.env)) {
    throw unknownForm(library);
  }
  const { esm, cjs } = value.import_line;
  const environment: Record<string, 'project_token' | 'base_url'> = {};
  for (const [name, source] of Object.entries(value.env)) {
    if (source !== 'project_token' && source !== 'base_url') throw unknownForm(library);
    environment[name] = source;
  }
  return {
    library,
    name: textOf(library, value.name),
    dependencies: textsOf(library, value.when.dependencies),
    companions: textsOf(library, value.when.with ?? []),
    entry: textsOf(library, value.entry),
    files: listOf(library, value.files).map((file) => {
      if (!isObject(file)) throw unknownForm(library);
      return { path: pathOf(library, file.path), content: textOf(library, file.content) };
    }),
    importLine: { esm: textOrNull(library, esm), cjs: textOrNull(library, cjs) },
    environment,
    hasRelay: isObject(value.relay),
    edits: listOf(library, value.edits ?? []).map((edit) => parseEdit(library, edit)),
    note: textOf(library, value.note),
  };
}

function parseEdit(library: string, value: unknown): FileEdit {
  if (!isObject(value) || !isObject(value.import)) throw unknownForm(library);
  const { below } = value;
  const find = textsOf(library, value.find);
  const put = typeof value.put === 'string' ? find.map(() => value.put) : listOf(library, value.put);
  return {
    file: value.file === undefined ? null : pathOf(library, value.file),
    below: isObject(below)
      ? { package: textOf(library, below.package), version: textOf(library, below.version) }
      : null,
    importLine: { esm: textOrNull(library, value.import.esm), cjs: textOrNull(library, value.import.cjs) },
    places: find.map((source, index) => ({
      find: new RegExp(source, 'm'),
      put: textOf(library, put[index]),
    })),
    hint: textOf(library, value.hint),
  };
}

/** A path below the application and nowhere else. */
function pathOf(library: string, value: unknown): string {
  const path = textOf(library, value);
  if (path.startsWith('/') || path.split('/').includes('..')) throw unknownForm(library);
  return path;
}

function textOf(library: string, value: unknown): string {
  if (typeof value !== 'string') throw unknownForm(library);
  return value;
}

function textOrNull(library: string, value: unknown): string | null {
  return value === null ? null : textOf(library, value);
}

function listOf(library: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw unknownForm(library);
  return value;
}

function textsOf(library: string, value: unknown): string[] {
  return listOf(library, value).map((each) => textOf(library, each));
}

function unknownForm(library: string): CliError {
  return new CliError(`culprit-setup.json of ${library} has a format that this program does not support.`, {
    exit: EXIT.unsupported,
    code: 'unknown_setup_file',
    hint: 'update culprit, or set up the library as its README describes',
  });
}

import { CliError } from '../cli-error.ts';
import { isObject } from '../config/json-file.ts';
import { EXIT } from '../exit-codes.ts';

/** What a client library says of its setup in a framework: one entry of its `culprit-setup.json`. */
export interface FrameworkSetup {
  /** The package that says it. */
  library: string;
  name: string;
  /** Any of these means the framework; none means any application of that kind. */
  dependencies: readonly string[];
  /** Where its entry file may be, best first, with `{a,b}` for choices. */
  entry: readonly string[];
  files: readonly { path: string; content: string }[];
  importLine: { esm: string | null; cjs: string | null };
  environment: Readonly<Record<string, 'project_token' | 'base_url'>>;
  /** Events go through the server of the page, so the page has no token of its own. */
  hasRelay: boolean;
  note: string;
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
    entry: textsOf(library, value.entry),
    files: listOf(library, value.files).map((file) => {
      if (!isObject(file)) throw unknownForm(library);
      return { path: pathOf(library, file.path), content: textOf(library, file.content) };
    }),
    importLine: { esm: textOrNull(library, esm), cjs: textOrNull(library, cjs) },
    environment,
    hasRelay: isObject(value.relay),
    note: textOf(library, value.note),
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
  return new CliError(`culprit-setup.json of ${library} has a form that this program does not know.`, {
    exit: EXIT.unsupported,
    code: 'unknown_setup_file',
    mend: 'update culprit, or set the library up by its README',
  });
}

import { join } from 'node:path';
import { CliError } from '../../cli-error.ts';
import { readIfThere } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import type { ApplicationFolder } from '../../init/application.ts';
import { wouldBeAdded } from '../../init/git.ts';
import { dependenciesOf, installedLibrary, LIBRARIES, readManifest } from '../../init/libraries.ts';
import { startsLibrary } from '../../init/start-lines.ts';
import { findEventDirectories } from '../../local/event-directories.ts';
import { listEventFiles } from '../../local/read-event-files.ts';
import { isTracked } from '../../records/print-secret.ts';
import { type Finding, ok, skipped, warning, wrong } from './finding.ts';

const ENVIRONMENT_FILES = ['.env', '.env.local'];
const SECRET = /svc_(?:mem|proj)_[0-9A-Za-z]{8}/;

/** The application in the folder: its library, its secrets, and events that wait. */
export function checkApplication({ directory }: Context): Finding[] {
  const findings: Finding[] = libraryFindings(directory);
  for (const name of ENVIRONMENT_FILES) {
    const path = join(directory, name);
    if (!SECRET.test(readIfThere(path) ?? '')) continue;
    if (isTracked(path)) {
      findings.push(
        wrong(
          'secrets',
          `${name} holds a token and is tracked by git`,
          'revoke the token, and let git ignore the file',
        ),
      );
    } else if (wouldBeAdded(directory, name)) {
      findings.push(
        warning('secrets', `${name} holds a token, and git does not ignore it`, `add ${name} to .gitignore`),
      );
    }
  }
  const files = findEventDirectories(directory).directories.flatMap((each) => listEventFiles(each, []));
  if (files.length > 0)
    findings.push(
      warning('local events', `${files.length} files wait`, 'culprit local list, or culprit local push'),
    );
  return findings;
}

/** The libraries that the manifest asks for, and whether something starts them. */
function libraryFindings(directory: string): Finding[] {
  let manifest: Record<string, unknown> | null;
  try {
    manifest = readManifest(directory);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [warning('application', 'package.json is not JSON', 'fix it')];
  }
  if (manifest === null) return [skipped('application', 'there is no package.json here')];
  const dependencies = dependenciesOf(manifest);
  const names = LIBRARIES.filter((name) => dependencies.has(name));
  if (names.length === 0)
    return [warning('application', 'no client library is installed here', 'culprit init')];
  return names.map((name) => libraryFinding({ directory, manifest }, name, dependencies));
}

function libraryFinding(
  application: ApplicationFolder,
  name: string,
  dependencies: ReadonlySet<string>,
): Finding {
  let library: ReturnType<typeof installedLibrary>;
  try {
    library = installedLibrary(application.directory, name);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return warning('application', error.message, error.hint ?? 'update this program');
  }
  if (library === null)
    return warning('application', `${name} is in package.json but not installed`, 'install the packages');
  const fitting = library.frameworks.filter((each) => each.dependencies.some((of) => dependencies.has(of)));
  const withoutFramework = library.frameworks.filter((each) => each.dependencies.length === 0);
  const starts = (fitting.length > 0 ? fitting : withoutFramework).map((setup) =>
    startsLibrary(application, setup),
  );
  const says = `${name} ${library.version}`;
  if (starts.includes(true)) return ok('application', says);
  return starts.includes(false)
    ? warning(
        'application',
        `${says} is installed, but no file that starts the application uses it`,
        'culprit init, or the first lines of its README',
      )
    : ok('application', `${says}; the file that starts the application was not found`);
}

import type { PackageSource } from '@culprit/contract/setup/install-lines';
import { usageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Input } from '../input.ts';
import { say } from '../output/print.ts';
import type { Application } from './application.ts';
import { LIBRARIES, type Library, readLibrary } from './libraries.ts';
import type { FrameworkSetup } from './setup-file.ts';

/** The library of an application: a separate one for the server and for the page, if it has both. */
export interface ChosenFramework {
  setup: FrameworkSetup;
  library: Library;
}

/** Chooses by the dependencies of the application, or as `--framework` says. */
export async function chooseFrameworks(
  context: Context,
  input: Input,
  { directory, dependencies }: Application,
  source: PackageSource | null,
): Promise<ChosenFramework[]> {
  say(context, `Looking at ${directory}`);
  const libraries: Library[] = [];
  for (const name of LIBRARIES) libraries.push(await readLibrary(directory, name, source));
  const all = libraries.flatMap((library) => library.frameworks.map((setup) => ({ setup, library })));
  const named = input.text('framework')?.split(',') ?? null;
  if (named !== null) {
    return named.map((name) => {
      const found = all.find(({ setup }) => setup.name === name.trim());
      if (found !== undefined) return found;
      const known = all.map(({ setup }) => setup.name).join(', ');
      throw usageError(`There is no framework "${name}".`, `the frameworks are ${known}`);
    });
  }
  const fitting = libraries.flatMap((library) => {
    const setup = library.frameworks.find(
      (each) =>
        each.dependencies.some((name) => dependencies.has(name)) &&
        each.companions.every((name) => dependencies.has(name)),
    );
    return setup === undefined ? [] : [{ setup, library }];
  });
  const [server] = fitting.filter(({ library }) => library.name === LIBRARIES[0]);
  // A bundler next to a framework of a server may well build that server: then only one without a relay counts.
  const pages = fitting.filter(
    ({ setup, library }) => library.name !== LIBRARIES[0] && (server === undefined || !setup.hasRelay),
  );
  const chosen = [...(server === undefined ? [] : [server]), ...pages];
  if (chosen.length > 0) return chosen;
  return all.filter(({ setup }) => setup.dependencies.length === 0).slice(0, 1);
}

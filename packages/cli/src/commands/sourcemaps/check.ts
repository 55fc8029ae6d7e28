import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';

/** Finds out what the check is about: a frame, the address of a script, an incident, or the folders of a build. */
export const run: Run = async (context, input) => {
  if (input.has('frame')) {
    if (input.args.length > 0) throw usageError('--frame takes no further argument.');
    const { checkFrame } = await import('./check-frames.ts');
    return await checkFrame(context, input);
  }
  const [first] = input.args;
  if (first === undefined) {
    throw usageError(
      'What should be checked?',
      'a folder, the address of a script, an incident, or --frame FILE:LINE:COLUMN',
    );
  }
  if (isScriptAddress(first)) {
    const { checkScript } = await import('./check-script.ts');
    return await checkScript(context, first);
  }
  if (existsSync(resolve(context.directory, first))) {
    const { checkFolders } = await import('./check-folders.ts');
    return await checkFolders(context, input);
  }
  const { checkIncident } = await import('./check-frames.ts');
  return await checkIncident(context, first);
};

/** Addresses of incidents end with an id; those of scripts with the name of a file. */
function isScriptAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && /\.[mc]?jsx?$/i.test(new URL(text).pathname);
}

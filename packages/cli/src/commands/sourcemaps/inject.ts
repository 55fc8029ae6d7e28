import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { injectFolders } from '../../source-maps/inject-folder.ts';
import { nothingWords, releaseOf, skippedLines } from './build-flags.ts';

export const run: Run = (context, input) => {
  const isDryRun = input.has('dry-run');
  const { pairs, refused, skipped, texts, warnings } = injectFolders({
    roots: input.args,
    directory: context.directory,
    release: releaseOf(context, input),
    injects: true,
    takesComments: false,
    isDryRun,
    signal: context.interrupted,
  });
  const files = [
    ...pairs.map(({ path, id, isChanged }) => ({
      path,
      debug_id: id,
      change: isChanged ? 'injected' : 'unchanged',
      problem: null,
      words: null,
    })),
    ...refused.map(({ path, id, problem, words }) => ({
      path,
      debug_id: id,
      change: 'refused',
      problem,
      words,
    })),
  ];
  if (context.globals.json) printJson(context, { files, skipped, changed_texts: texts, warnings });
  else if (context.globals.quiet)
    printLines(
      context,
      pairs.map(({ id }) => String(id)),
    );
  else {
    printLines(
      context,
      files.map(({ change, path, debug_id, words }) =>
        visibleLine(`${change.padEnd(9)}  ${words ?? `${path}  ${debug_id ?? ''}`}`),
      ),
    );
    for (const text of texts) say(context, visibleLine(`new hashes  ${text}`));
    for (const line of skippedLines(skipped)) say(context, line);
    for (const warning of warnings) say(context, visibleLine(`warning: ${warning}`));
  }
  if (context.interrupted.aborted) return Promise.resolve(EXIT.interrupted);
  if (files.length === 0) say(context, nothingWords(input.args));
  else if (isDryRun) say(context, 'Nothing was changed.');
  else if (pairs.length > 0) say(context, `Next: culprit sourcemaps upload ${input.args.join(' ')}`);
  return Promise.resolve(files.length === 0 || refused.length > 0 ? EXIT.negative : EXIT.ok);
};

import { init } from './api.ts';
import { attempt } from './client/attempt.ts';
import { readOwnVariables } from './facts/own-variables.ts';
import { workingDirectory } from './facts/runtime-facts.ts';

/**
 * `node --import @culprit/node/register` starts capture from the environment, without a line of code. Values that the
 * environment lacks are in the file that `culprit init` wrote.
 */
for (const [name, value] of Object.entries(readOwnVariables(workingDirectory() ?? '/'))) {
  // Deno throws where variables may not be read.
  attempt(() => {
    process.env[name] ??= value;
  });
}
init();

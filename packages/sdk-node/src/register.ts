import { init } from './api.ts';
import { attempt } from './client/attempt.ts';
import { readClusterVariables, readOwnVariables } from './facts/own-variables.ts';
import { workingDirectory } from './facts/runtime-facts.ts';

/**
 * `node --import @culprit/node/register` starts capture from the environment, without a line of code. Values that the
 * environment lacks are in the file that `culprit init` wrote.
 */
attempt(() => {
  for (const [name, value] of readClusterVariables(process.env.pm2_env)) process.env[name] = value;
});
for (const [name, value] of Object.entries(readOwnVariables(workingDirectory() ?? '/'))) {
  // Deno throws where variables may not be read.
  attempt(() => {
    process.env[name] ??= value;
  });
}
init();

import { runProgram } from './roles/run-program.ts';

/** `npm start`: everything on this machine, or the one role that `CULPRIT_ROLES` or `--roles` names. */

await runProgram({ retryScale: 1 });

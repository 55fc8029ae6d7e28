import { runProgram } from '../../src/roles/run-program.ts';

/** The program as it is started by an operator, except that it repeats what failed after a twentieth of the delays. */

await runProgram({ retryScale: 0.05 });

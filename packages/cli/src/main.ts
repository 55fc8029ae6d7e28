#!/usr/bin/env node
import { VERSION } from './version.ts';

/**
 * The entry. It says the version, or why it cannot run here, and loads nothing for that; everything else is in the
 * program, which is loaded when there is something to do. Old releases of Node must be able to read this file.
 */

const OLDEST = [22, 13] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const args = process.argv.slice(2);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(
    `culprit: culprit ${VERSION} needs Node ${OLDEST.join('.')} or newer; this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(
    `culprit ${VERSION} (node ${process.versions.node}, ${process.platform}-${process.arch})\n`,
  );
} else {
  void import('./program.ts').then(({ runProgram }) => runProgram(args));
}

import type { Context } from '../../context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printJson, printLines } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import type { Finding } from '../doctor/finding.ts';

/** Prints what a check found; exit 8 when something is wrong. */
export function printFindings(context: Context, findings: readonly Finding[]): ExitCode {
  const { globals, terminal } = context;
  if (globals.json) printJson(context, { findings });
  else {
    const shown = findings.filter(({ level }) => !globals.quiet || level === 'wrong');
    printLines(
      context,
      shown.flatMap(({ level, check, says, hint }) => [
        visibleLine(`${level.padEnd(7)}  ${check}: ${says}`),
        ...(hint === null ? [] : [terminal.style('dim', visibleLine(`         → ${hint}`))]),
      ]),
    );
  }
  return findings.some(({ level }) => level === 'wrong') ? EXIT.negative : EXIT.ok;
}

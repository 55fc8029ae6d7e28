import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Finding } from '../../installation/findings/finding.ts';
import { type AdminCommand, readOptions } from '../command.ts';
import { openCommandLog } from '../with-database.ts';
import { examine } from './doctor.ts';

/** `admin doctor` */
export const doctorCommand: AdminCommand = {
  usage: 'doctor [--json]',
  purpose:
    'Checks settings, disk, database, objects, mail and queue, and lists problems with their fixes. Exits with 1 if there are any.',
  async run(args) {
    const values = readOptions(args, { json: { type: 'boolean', default: false } });
    const findings = await examine(process.env, openCommandLog());
    const isWrong = findings.some(({ state }) => state === 'wrong');
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ ok: !isWrong, findings: findings.map(recordOf) })}\n`
        : findings.map(linesOf).join(''),
    );
    if (isWrong) process.exitCode = 1;
  },
};

function recordOf({ sinceMs, ...finding }: Finding): object {
  return { ...finding, since: sinceMs === null ? null : formatTimestamp(sinceMs) };
}

function linesOf({ check, state, what, todo, sinceMs, command }: Finding): string {
  const lines = [
    `${state.padEnd(8)}${check}: ${what}`,
    ...(todo === null ? [] : [`-> ${todo}`]),
    ...(sinceMs === null ? [] : [`   since ${formatTimestamp(sinceMs)}`]),
    ...(command === null ? [] : [`   $ ${command}`]),
  ];
  return `${lines.join(`\n${' '.repeat(8)}`)}\n`;
}

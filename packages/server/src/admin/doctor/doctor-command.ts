import { type AdminCommand, readOptions } from '../command.ts';
import { openCommandLog } from '../with-database.ts';
import { examine } from './doctor.ts';
import type { Finding } from './finding.ts';

/** `admin doctor` */
export const doctorCommand: AdminCommand = {
  usage: 'doctor [--json]',
  purpose:
    'Looks at settings, disk, database, objects, mail and queue, and says what is wrong and what to do. Ends with 1 then.',
  async run(args) {
    const values = readOptions(args, { json: { type: 'boolean', default: false } });
    const findings = await examine(process.env, openCommandLog());
    const isWrong = findings.some(({ state }) => state === 'wrong');
    process.stdout.write(
      values.json ? `${JSON.stringify({ ok: !isWrong, findings })}\n` : findings.map(linesOf).join(''),
    );
    if (isWrong) process.exitCode = 1;
  },
};

function linesOf({ check, state, what, todo }: Finding): string {
  const line = `${state.padEnd(8)}${check}: ${what}\n`;
  return todo === null ? line : `${line}${' '.repeat(8)}-> ${todo}\n`;
}

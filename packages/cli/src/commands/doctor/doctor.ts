import { CliError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { readSettings, requireSafeAddress, type Settings } from '../../config/settings.ts';
import { type Context, choicesOf } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { printJson, printLines } from '../../output/print.ts';
import { visibleLine } from '../../output/visible-text.ts';
import { checkAgents } from './check-agents.ts';
import { checkApplication } from './check-application.ts';
import { checkCredentials } from './check-credentials.ts';
import { checkDelivery } from './check-delivery.ts';
import { checkDsn } from './check-dsn.ts';
import { checkMachine } from './check-machine.ts';
import { checkServer } from './check-server.ts';
import { type Finding, ok, skipped, wrong } from './finding.ts';

/** Looks at everything between this machine and an incident, and changes nothing unless --send is consented to. */
export const run: Run = async (context, input) => {
  const dsn = input.text('dsn');
  const findings =
    dsn === null ? await inspectAll(context, input) : await checkDsn(context, dsn, input.text('origin'));
  if (context.globals.json) printJson(context, { findings });
  else {
    const width = Math.max(...findings.map(({ check }) => check.length)) + 2;
    const { terminal } = context;
    const mark = { ok: 'ok     ', warning: 'warning', wrong: 'WRONG  ', skipped: 'skipped' };
    const style = { ok: 'green', warning: 'yellow', wrong: 'red', skipped: 'dim' } as const;
    const shown = context.globals.quiet ? findings.filter(({ level }) => level === 'wrong') : findings;
    printLines(
      context,
      shown.flatMap(({ check, level, says, hint }) => [
        `${terminal.style(style[level], mark[level])}  ${check.padEnd(width)}${visibleLine(says)}`,
        ...(hint === null ? [] : [`${' '.repeat(9 + width)}→ ${visibleLine(hint)}`]),
      ]),
    );
  }
  return findings.some(({ level }) => level === 'wrong') ? EXIT.negative : EXIT.ok;
};

async function inspectAll(context: Context, input: Input): Promise<Finding[]> {
  const findings: Finding[] = [...checkMachine(context)];
  const settings = readOrTell(context, findings);
  if (settings !== null) {
    findings.push(ok('address', `${settings.origin}, named by ${settings.originName}`));
    const server = await checkServer(context, settings);
    findings.push(...server.findings);
    if (server.isReachable) findings.push(...(await checkCredentials(context, settings, input)));
    else findings.push(skipped('member token', 'the server is not Culprit'));
    if (server.isReachable && input.has('send')) findings.push(await checkDelivery(context, settings, input));
  }
  findings.push(...checkApplication(context), ...checkAgents(context));
  return findings;
}

/** The settings, or a finding about what is wrong with them. */
function readOrTell(context: Context, findings: Finding[]): Settings | null {
  try {
    const settings = readSettings(choicesOf(context), true);
    requireSafeAddress(settings);
    findings.push(
      ok('config', settings.profileName === null ? 'no profile' : `profile "${settings.profileName}"`),
    );
    return settings;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    findings.push(wrong('config', error.message, error.hint));
    return null;
  }
}

import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import { readConfig } from '../platform/config/config.ts';
import { planSettings } from '../roles/settings.ts';
import { bootstrap } from './bootstrap.ts';
import { type AdminCommand, printResult, readOptions, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

/** `admin bootstrap` */
export const bootstrapCommand: AdminCommand = {
  usage: 'bootstrap --email ADDRESS --project NAME [--json]',
  purpose:
    'Creates or finds the person, their organization and the project, and prints fresh tokens for both.',
  async run(args) {
    const values = readOptions(args, {
      email: { type: 'string' },
      project: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const email = normalizeEmail(values.email ?? '');
    const projectName = values.project?.trim() ?? '';
    const problems = [
      ...(email === null ? ['--email must be an e-mail address'] : []),
      ...(projectName.length >= 1 && projectName.length <= 120
        ? []
        : ['--project must have 1 to 120 characters']),
    ];
    if (email === null || problems.length > 0) throw new UsageError(problems.join('\n'));
    const config = readConfig(process.env);
    const result = await withDatabase(
      config,
      (database) =>
        bootstrap(database, { email, projectName, baseUrl: config.baseUrl, plans: planSettings(config) }),
      (sentence) => process.stderr.write(`${sentence}\n`),
    );
    printResult(result, values.json);
    if (!values.json)
      process.stdout.write('Put the dsn into any Sentry library, and its events arrive here.\n');
  },
};

import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import { readConfig } from '../platform/config/config.ts';
import { findFirstOwner, nameFirstOwner } from '../workspace/accounts/operators.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import { type AdminCommand, CommandRefused, printResult, readOptions, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

/** `admin operator set` */
export const setOperatorCommand: AdminCommand = {
  usage: 'operator set --email ADDRESS [--json]',
  purpose:
    'Makes an account the operator instead of the first owner, if CULPRIT_OPERATORS is not set and PostgreSQL is embedded.',
  async run(args) {
    const values = readOptions(args, {
      email: { type: 'string' },
      json: { type: 'boolean', default: false },
    });
    const email = normalizeEmail(values.email ?? '');
    if (email === null) throw new UsageError('--email must be an e-mail address');
    const config = readConfig(process.env);
    if (config.operators !== null || config.databaseUrl !== null) {
      throw new CommandRefused('Operators are set in CULPRIT_OPERATORS. Add the address there.');
    }
    const result = await withDatabase(config, async (database, log) => {
      const before = (await findFirstOwner(database)) ?? null;
      if (!(await nameFirstOwner(database, email))) {
        throw new CommandRefused(`No account has the address ${email}. Its owner has to sign in first.`);
      }
      await recordAudit(
        database,
        { log, clientAddress: null },
        { action: 'operator.named', actorUserId: null },
      );
      return { email, before };
    });
    printResult(result, values.json);
  },
};

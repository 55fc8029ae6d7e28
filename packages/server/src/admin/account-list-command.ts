import { readConfig } from '../platform/config/config.ts';
import { listAccounts } from '../workspace/accounts/accounts.queries.ts';
import { type AdminCommand, printResult, readOptions } from './command.ts';
import { withDatabase } from './with-database.ts';

/** `admin account list` */
export const listAccountsCommand: AdminCommand = {
  usage: 'account list [--json]',
  purpose: 'Lists the first 100 accounts with their addresses, the oldest first.',
  async run(args) {
    const values = readOptions(args, { json: { type: 'boolean', default: false } });
    const result = await withDatabase(readConfig(process.env), async (database) => ({
      accounts: await listAccounts(database),
    }));
    printResult(result, values.json);
  },
};

import { endOwnSession, listSessions, logOut } from '@culprit/contract/workspace/sign-in';
import type { Api } from '../../api/api.ts';
import { publicApi } from '../../api/open-api.ts';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { readSettings, requireSafeAddress } from '../../config/settings.ts';
import { type Context, choicesOf } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { confirm } from '../../output/ask.ts';
import { printJson, printLines, printList, say } from '../../output/print.ts';
import { openSession } from '../login/by-email.ts';

/** Sessions are shown to a session alone, so these sign in by mail, and end that session at the end. */

export const list: Run = async (context, input) =>
  await inSession(context, input, async (api) => {
    const body = await api.call(listSessions);
    printList(context, {
      // The session of this command itself ends with it.
      items: body.sessions.filter(({ is_current }) => !is_current),
      key: 'sessions',
      columns: [
        { title: 'BROWSER', cell: ({ browser }) => browser, isFlexible: true },
        { title: 'NETWORK', cell: ({ address_class }) => address_class },
        { title: 'SIGNED IN', cell: ({ created_at }) => created_at },
        { title: 'LAST USED', cell: ({ last_used_at }) => last_used_at },
        { title: 'ID', cell: ({ session_id }) => session_id },
      ],
      id: ({ session_id }) => session_id,
      empty: 'No browser is signed in.',
    });
  });

export const end: Run = async (context, input) => {
  const [named] = input.args;
  if ((named === undefined) !== input.has('all')) throw usageError('Which session?', 'an ID, or --all');
  return await inSession(context, input, async (api) => {
    const { sessions } = await api.call(listSessions);
    const ids =
      named === undefined
        ? sessions.filter(({ is_current }) => !is_current).map(({ session_id }) => session_id)
        : [named];
    if (input.has('dry-run')) {
      if (context.globals.json) printJson(context, { ended: [], sessions: ids });
      else printLines(context, ids);
      say(context, `${ids.length} sessions would be ended.`);
      return;
    }
    await confirm(
      context,
      `End ${ids.length === 1 ? 'this session' : `${ids.length} sessions`}? The browser has to sign in again.`,
      'Ending a session needs a confirmation.',
    );
    for (const id of ids) await api.call(endOwnSession, { params: { sessionId: id } });
    if (context.globals.json) printJson(context, { ended: ids });
    else printLines(context, ids);
  });
};

async function inSession(context: Context, input: Input, act: (api: Api) => Promise<void>) {
  const settings = readSettings(choicesOf(context), true);
  requireSafeAddress(settings);
  const { origin } = settings;
  const { api } = await openSession({ context, input, api: publicApi(context, origin), origin, label: '' });
  try {
    await act(api);
    return EXIT.ok;
  } finally {
    await api.attempt(logOut).catch(() => null);
  }
}

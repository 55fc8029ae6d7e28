import { acceptInvite, readInvite } from '@culprit/contract/workspace/invites';
import { logOut } from '@culprit/contract/workspace/sign-in';
import { publicApi } from '../../api/open-api.ts';
import { authError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { readSettings, requireSafeAddress } from '../../config/settings.ts';
import { choicesOf } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { askSecret, readStandardInput } from '../../output/ask.ts';
import { printRecord, say } from '../../output/print.ts';
import { secretKindOf } from '../../output/secrets.ts';
import { rowsOf } from '../../records/record-rows.ts';
import { openSession } from '../login/by-email.ts';

/** A session accepts an invite, so this signs in by mail and ends the session immediately. */
export const run: Run = async (context, input) => {
  const settings = readSettings(choicesOf(context), true);
  requireSafeAddress(settings);
  const token = context.terminal.isInTerminal
    ? await askSecret(context, 'Invite token', () => usageError('Where is the invite?'))
    : (await readStandardInput()).trim();
  if (secretKindOf(token) !== 'invite')
    throw authError('That is not an invite. Invites begin with svc_invite_.', 'copy it from the mail');
  const api = publicApi(context, settings.origin);
  const { offer } = await api.call(readInvite, { body: { token } });
  say(context, `${offer.invited_by_email} invited you to ${offer.project_name}.`);
  const session = await openSession({
    context,
    input,
    api,
    origin: settings.origin,
    label: '',
  });
  try {
    const body = await session.api.call(acceptInvite, { body: { token } });
    printRecord(context, {
      body,
      key: 'membership',
      rows: rowsOf({ ...body.membership }),
      id: body.membership.project_id,
    });
    say(context, `Next: culprit login --email ${session.email}`);
    return EXIT.ok;
  } finally {
    await session.api.attempt(logOut).catch(() => null);
  }
};

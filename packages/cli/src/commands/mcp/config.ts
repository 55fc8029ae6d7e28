import { existsSync, realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { createMemberToken, TOKEN_LABEL_LENGTH_MAX } from '@culprit/contract/workspace/tokens';
import { AGENT_HOSTS, hostFile } from '../../agents/agent-hosts.ts';
import { hostEntry, withEntry } from '../../agents/host-entry.ts';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { readIfThere } from '../../config/json-file.ts';
import { writeWhole } from '../../config/write-file.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { askChoice, confirm } from '../../output/ask.ts';
import { fileDiff } from '../../output/file-diff.ts';
import { printJson, printLines, say } from '../../output/print.ts';
import { visibleLine, visibleText } from '../../output/visible-text.ts';
import { packageSource } from '../../packages/package-source.ts';
import { tokenRecord } from '../login/sign-in.ts';
import { storeSignIn } from '../login/store-sign-in.ts';

const NEW_FILE_MODE = 0o644;

/** Prints the entry with which a coding agent starts this program, or writes it into the agent's file. */
export const run: Run = async (context, input) => {
  const client = input.choice('client', AGENT_HOSTS);
  if (client === null) throw usageError('Which client?', `--client ${AGENT_HOSTS.join('|')}`);
  const { environment, directory, globals } = context;
  const file = hostFile(client, { directory, environment, platform: process.platform });
  const readProfile = (await wantsReadToken(context, input)) ? readProfileName(context) : null;
  const profile = readProfile ?? globals.profile;
  const source = await packageSource(context);
  const entry = hostEntry(source, [
    ...(profile === null ? [] : ['--profile', profile]),
    ...(globals.project === null ? [] : ['--project', globals.project]),
  ]);
  if (source !== null && !globals.quiet) {
    say(context, `Agents that start no program use ${source.baseUrl}/mcp, with a member token.`);
  }
  if (!input.has('write')) {
    if (readProfile !== null) await makeReadToken(context, input, readProfile);
    if (globals.json) printJson(context, { client, path: file.path, change: null, entry });
    else printLines(context, [visibleText(withEntry(file, null, entry)).trimEnd()]);
    say(context, `Add this to ${visibleLine(file.path)}, or use --write.`);
    return EXIT.ok;
  }
  const before = readIfThere(file.path);
  const after = withEntry(file, before, entry);
  const change = before === null ? 'created' : before === after ? 'unchanged' : 'modified';
  if (change !== 'unchanged') {
    // Lines beside the new ones may hold secrets of other servers.
    say(context, fileDiff({ path: file.path, before, after, isSecret: true }));
    await confirm(context, `Write ${file.path}?`, 'This changes a file.');
    const target = existsSync(file.path) ? realpathSync(file.path) : file.path;
    if (readProfile !== null) await makeReadToken(context, input, readProfile);
    writeWhole(target, after, before === null ? NEW_FILE_MODE : statSync(target).mode & 0o777);
  }
  if (globals.json) printJson(context, { client, path: file.path, change, entry });
  else if (globals.quiet) printLines(context, [file.path]);
  else
    say(context, change === 'unchanged' ? 'It is already there.' : `${visibleLine(file.path)} is ${change}.`);
  return EXIT.ok;
};

/**
 * Returns true if the agent should get a read-only token: a reading agent needs no right to write, so such a token is
 * offered if a user can answer.
 */
async function wantsReadToken(context: Context, input: Input): Promise<boolean> {
  if (input.has('read-token')) return true;
  const { terminal, globals } = context;
  if (!input.has('write') || !terminal.isInteractive || globals.yes || globals.profile !== null) return false;
  const isSignedIn = await context.credential().then(
    () => true,
    () => false,
  );
  if (!isSignedIn) return false;
  const answer = await askChoice(
    context,
    'Which token should the agent use?',
    [
      { value: 'read', label: 'a new one that can only read (recommended)' },
      { value: 'own', label: 'the token of this profile' },
    ],
    () => usageError('No token was chosen.', '--read-token'),
  );
  return answer === 'read';
}

function readProfileName(context: Context): string {
  const { profileName, origin } = context.settings();
  return `${profileName ?? new URL(origin).hostname}-agent`;
}

/** Creates a read-only token, as a separate profile. */
async function makeReadToken(context: Context, input: Input, name: string): Promise<void> {
  const settings = context.settings();
  const api = await context.api();
  const label = `agents on ${hostname()}`.slice(0, TOKEN_LABEL_LENGTH_MAX);
  const { token } = await api.call(createMemberToken, { body: { label, access: 'read' } });
  await storeSignIn(
    { ...context, globals: { ...context.globals, profile: name } },
    input,
    settings,
    {
      token: token.plaintext,
      madeBy: 'exchange',
      label,
      email: null,
      userId: null,
      record: tokenRecord(token),
      projectId: settings.project,
      projectToken: null,
    },
    null,
  );
  say(context, `Profile ${visibleLine(name)} has a token that can only read.`);
}

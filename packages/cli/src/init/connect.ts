import { getServer } from '@culprit/contract/endpoints/server';
import { createProject } from '@culprit/contract/workspace/projects';
import {
  createProjectToken,
  revokeProjectToken,
  TOKEN_LABEL_LENGTH_MAX,
} from '@culprit/contract/workspace/tokens';
import type { Api } from '../api/api.ts';
import { CliError, usageError } from '../cli-error.ts';
import { signInHere } from '../commands/login/login.ts';
import { readSettings, requireSafeAddress } from '../config/settings.ts';
import { type Context, choicesOf, createContext, warn } from '../context.ts';
import { changeCredentialFile, credentialsOf } from '../credentials/credential-file.ts';
import { memberCredential } from '../credentials/credentials.ts';
import { EXIT } from '../exit-codes.ts';
import type { Input } from '../input.ts';
import { askChoice, askText } from '../output/ask.ts';
import { say } from '../output/print.ts';
import { projectIdByName, visibleProjects } from '../references/project-reference.ts';
import type { Application } from './application.ts';

/** The project to which the application sends; a new one has no id yet. */
export interface ChosenProject {
  id: string | null;
  name: string;
}

const NEW = 'new';

/** The context of the application's folder, signed in: as `login` when there is no credential yet. */
export async function connect(context: Context, input: Input, { directory }: Application): Promise<Context> {
  const { terminal, globals, environment, interrupted } = context;
  const within = (url: string | null) =>
    createContext({ terminal, globals: { ...globals, url }, environment, interrupted, directory });
  const settings = readSettings({ ...choicesOf(context), directory }, true);
  requireSafeAddress(settings);
  try {
    await memberCredential(settings, environment, (text) => warn(context, text));
    return within(settings.originFrom === 'default' ? settings.origin : globals.url);
  } catch (error) {
    const isMissing = error instanceof CliError && error.exit === EXIT.auth && error.code === 'not_signed_in';
    if (!isMissing || !terminal.isInteractive || input.has('dry-run')) throw error;
  }
  const { origin } = await signInHere(within(globals.url), input);
  return within(origin);
}

/** The project of the settings, the only one, or the one that is chosen; a new one is made later. */
export async function chooseProject(
  context: Context,
  input: Input,
  { service }: Application,
): Promise<ChosenProject> {
  const { project, projectFile } = context.settings();
  const projects = await visibleProjects(context);
  const wanted = projectFile?.projectId ?? null;
  const named = input.text('create-project');
  if (named !== null && !projects.some(({ project_id }) => project_id === wanted))
    return { id: null, name: named };
  const ofSettings = projects.find(({ project_id }) => project_id === project);
  if (ofSettings !== undefined) return { id: ofSettings.project_id, name: ofSettings.name };
  if (project !== null) return { id: await projectIdByName(context, project), name: project };
  const [only] = projects;
  if (only !== undefined && projects.length === 1) return { id: only.project_id, name: only.name };
  if (only === undefined) {
    const name = await askText(context, `Name of the new project (empty for "${service}")`, () =>
      usageError('You have no projects yet.', 'create one: --create-project NAME'),
    );
    return { id: null, name: name === '' ? service : name };
  }
  const chosen = await askChoice(
    context,
    'Which project?',
    [
      ...projects.map((each) => ({ value: each.project_id, label: `${each.name} (${each.slug})` })),
      { value: NEW, label: `a new one, "${service}"` },
    ],
    () => usageError('Several projects match.', 'choose one: --project REF, or --create-project NAME'),
  );
  const known = projects.find(({ project_id }) => project_id === chosen);
  return known === undefined ? { id: null, name: service } : { id: known.project_id, name: known.name };
}

/** Returns the id of the project. A new one is created, with a rule that mails its owner if that is wanted. */
export async function ensureProject(
  context: Context,
  { id, name }: ChosenProject,
  { isAlerting }: { isAlerting: boolean },
): Promise<string> {
  if (id !== null) return id;
  const api = await context.api();
  const body = isAlerting ? { name } : { name, first_alert: false };
  const { project } = await api.call(createProject, { body });
  if (isAlerting) say(context, await alertWords(api, project.owner_email));
  return project.project_id;
}

async function alertWords(api: Api, address: string): Promise<string> {
  const server = await api.attempt(getServer);
  return server.ok && server.body.auth.email === 'off'
    ? 'This server sends no mail. Create an alert rule for a channel: culprit alerts create --help'
    : `Urgent and high priority incidents are mailed to ${address}.`;
}

/** A new token of the project; the first one of a project is remembered for `send`. */
export async function makeToken(
  context: Context,
  projectId: string,
  { label, allowedOrigins }: { label: string; allowedOrigins: readonly string[] },
): Promise<{ token: string; revoke: () => Promise<void> }> {
  const api = await context.api();
  const { token } = await api.call(createProjectToken, {
    params: { id: projectId },
    body: {
      label: label.slice(0, TOKEN_LABEL_LENGTH_MAX),
      ...(allowedOrigins.length === 0 ? {} : { allowed_origins: [...allowedOrigins] }),
    },
  });
  if (allowedOrigins.length === 0) {
    changeCredentialFile(context.environment, (file) => {
      credentialsOf(file, context.settings().origin).projects[projectId] ??= {
        token: token.plaintext,
        token_id: token.token_id,
        added_at: token.created_at,
      };
    });
  }
  return {
    token: token.plaintext,
    async revoke() {
      await api.attempt(revokeProjectToken, { params: { id: projectId, tokenId: token.token_id } });
      changeCredentialFile(context.environment, (file) => {
        const { projects } = credentialsOf(file, context.settings().origin);
        if (projects[projectId]?.token_id === token.token_id) delete projects[projectId];
      });
    },
  };
}

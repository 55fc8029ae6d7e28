import { hostname } from 'node:os';
import { createProjectToken } from '@culprit/contract/workspace/tokens';
import type { Api } from '../api/api.ts';
import { openApi } from '../api/open-api.ts';
import { authError, usageError } from '../cli-error.ts';
import { variable } from '../config/folders.ts';
import { type Context, warn } from '../context.ts';
import { confirm } from '../output/ask.ts';
import { projectId as chooseProject } from '../references/project-reference.ts';
import { changeCredentialFile, credentialsOf } from './credential-file.ts';
import { projectCredential } from './credentials.ts';

/** The API to which events are sent, with a project token; `projectId` is null when only the token identifies it. */
interface EventsApi {
  api: Api;
  projectId: string | null;
  /** Returns the wait that the last answer requested, in seconds. */
  retryAfterSeconds: () => number | null;
}

/** The project token of the environment, else the stored one, else a new one that is made after a question. */
export async function eventsApi(context: Context): Promise<EventsApi> {
  const settings = context.settings();
  const hasOwn = variable(context.environment, 'CULPRIT_PROJECT_TOKEN') !== null;
  const projectId = hasOwn ? settings.project : await chooseProject(context);
  const found = projectCredential(settings, context.environment, projectId, (text) => warn(context, text));
  if (found !== null) return open(context, found.token, found.source, projectId);
  if (projectId === null) throw authError('There is no project token.', 'set CULPRIT_PROJECT_TOKEN');
  const label = `culprit on ${hostname()}`;
  if (!context.terminal.isInteractive && !context.globals.yes) {
    throw usageError(
      'There is no project token to send events with.',
      'set CULPRIT_PROJECT_TOKEN, or create one with --yes',
    );
  }
  await confirm(context, `Create the project token "${label}" and store it?`, '');
  const { token } = await (await context.api()).call(createProjectToken, {
    params: { id: projectId },
    body: { label },
  });
  changeCredentialFile(context.environment, (file) => {
    credentialsOf(file, settings.origin).projects[projectId] = {
      token: token.plaintext,
      token_id: token.token_id,
      added_at: token.created_at,
    };
  });
  return open(context, token.plaintext, `the project token "${label}"`, projectId);
}

function open(context: Context, token: string, source: string, projectId: string | null): EventsApi {
  let seconds: number | null = null;
  const api = openApi(
    context,
    context.settings().origin,
    token,
    { credential: source, profileName: null, isFromEnvironment: false },
    {
      onAnswer({ headers }) {
        const read = Number(headers.get('retry-after') ?? Number.NaN);
        seconds = Number.isInteger(read) && read >= 0 ? read : null;
      },
    },
  );
  return { api, projectId, retryAfterSeconds: () => seconds };
}

import { hostname } from 'node:os';
import { getServer } from '@culprit/contract/endpoints/server';
import { listProjects } from '@culprit/contract/workspace/projects';
import { TOKEN_LABEL_LENGTH_MAX } from '@culprit/contract/workspace/tokens';
import { openApi, publicApi } from '../../api/open-api.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { isLoopback } from '../../config/address.ts';
import { variable } from '../../config/folders.ts';
import { readSettings, type Settings } from '../../config/settings.ts';
import { type Context, choicesOf, warn } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Input } from '../../input.ts';
import { askChoice, confirm } from '../../output/ask.ts';
import { printRecord, say } from '../../output/print.ts';
import { tokenPreview } from '../../output/secrets.ts';
import { signInByBrowser } from './by-browser.ts';
import { signInByEmail } from './by-email.ts';
import { signInByDevice, signInByGithubToken, tokenOfGithubCli } from './by-github.ts';
import { readPastedToken } from './by-token.ts';
import type { SignIn, SignInPlace } from './sign-in.ts';
import { storeSignIn } from './store-sign-in.ts';

const WAYS = ['browser', 'token', 'email', 'github-device', 'github-cli', 'github-token'] as const;
type Way = (typeof WAYS)[number];
const WAY_WORDS: Readonly<Record<Way, string>> = {
  browser: 'in the browser',
  token: 'paste a member token',
  email: 'a code by mail',
  'github-device': 'GitHub, with a code to type there',
  'github-cli': 'GitHub, with the token of gh',
  'github-token': 'GitHub, with a token',
};

/** The result of a sign-in. */
export interface SignedIn {
  signIn: SignIn;
  origin: string;
  profileName: string;
  /** True if a token that was stored before is revoked. */
  replaced: boolean;
  email: string | null;
  /** The project that the token sees, when it is the only one. */
  project: { project_id: string; slug: string } | null;
}

/** Signs in by the flags, or by the answers to questions, and stores the token. */
export async function signInHere(context: Context, input: Input): Promise<SignedIn> {
  const flagged = await wayOfFlags(input);
  const pastedFirst = flagged === 'token' ? await readPastedToken(context) : null;
  const settings = await signInSettings(context, pastedFirst?.url ?? null);
  requireEncryption(settings, input);
  const place: SignInPlace = {
    context,
    input,
    api: publicApi(context, settings.origin),
    origin: settings.origin,
    label: (input.text('label') ?? `culprit on ${hostname()}`).slice(0, TOKEN_LABEL_LENGTH_MAX),
  };
  const signIn =
    pastedFirst ?? (flagged === null ? await signInByChoice(place) : await signInBy(flagged, place));
  const { project, email } = await verify(context, settings.origin, signIn.token);
  const { profileName, replaced } = await storeSignIn(
    context,
    input,
    settings,
    signIn,
    project?.project_id ?? null,
  );
  return { signIn, origin: settings.origin, profileName, replaced, email: signIn.email ?? email, project };
}

export const run: Run = async (context, input) => {
  const { signIn, origin, profileName, replaced, email, project } = await signInHere(context, input);
  printRecord(context, {
    body: {
      profile: profileName,
      url: origin,
      email,
      user_id: signIn.userId,
      token: signIn.record,
      store: input.text('store') ?? 'file',
      project_id: signIn.projectId ?? project?.project_id ?? null,
    },
    id: profileName,
    rows: [
      ['Signed in to', origin],
      ['Person', email],
      ['Profile', profileName],
      ['Token', `${tokenPreview(signIn.token)}, stored in the ${input.text('store') ?? 'file'}`],
      ['Project', signIn.projectId ?? project?.slug],
    ],
  });
  if (replaced) say(context, 'The token that was stored before is revoked.');
  if (!context.globals.json) say(context, 'Next: culprit incidents list');
  return EXIT.ok;
};

/** The way that flags name; null when they name none. */
async function wayOfFlags(input: Input): Promise<Way | null> {
  if (input.has('browser')) return 'browser';
  if (input.has('with-token')) return 'token';
  if (input.has('email')) return 'email';
  if (input.has('github-device')) return 'github-device';
  if (input.has('github-cli')) return 'github-cli';
  if (input.has('github-token')) return 'github-token';
  if (!input.has('github')) return null;
  return (await tokenOfGithubCli(input.text('github-host'))) === null ? 'github-device' : 'github-cli';
}

/**
 * Signs in by the way that the user chooses among those of the server; if it turns out not to be set up, the question
 * is repeated.
 */
async function signInByChoice(place: SignInPlace): Promise<SignIn> {
  const { context } = place;
  const unchosen = () =>
    usageError(
      'No way to sign in was chosen.',
      'culprit login --browser, --with-token, --email ADDRESS or --github-device',
    );
  if (!context.terminal.isInteractive) throw unchosen();
  let ways = await waysOf(place);
  for (;;) {
    const options = ways.map((way) => ({ value: way, label: WAY_WORDS[way] }));
    const way = await askChoice(context, 'How do you want to sign in?', options, unchosen);
    try {
      return await signInBy(way, place);
    } catch (error) {
      const isNotThere = error instanceof CliError && error.code === 'auth_not_configured';
      if (!isNotThere || ways.length === 1) throw error;
      say(context, error.message);
      ways = ways.filter((each) => each !== way);
    }
  }
}

/** The ways that a server offers; those of servers that do not say so are all tried. */
async function waysOf({ api }: SignInPlace): Promise<Way[]> {
  const answer = await api.attempt(getServer);
  const auth = answer.ok ? answer.body.auth : null;
  const isOffered: Record<Way, boolean> = {
    browser: answer.ok && answer.body.features.includes('cli_sign_in'),
    token: true,
    email: auth === null || auth.email !== 'off',
    'github-device': auth === null || auth.github_device,
    'github-cli': auth === null || auth.github_exchange,
    // By its flag alone: who has a token of GitHub to paste has gh, or knows the flag.
    'github-token': false,
  };
  return WAYS.filter((way) => isOffered[way]);
}

async function signInBy(way: Way, place: SignInPlace): Promise<SignIn> {
  switch (way) {
    case 'browser':
      return await signInByBrowser(place);
    case 'email':
      return await signInByEmail(place);
    case 'github-device':
      return await signInByDevice(place);
    case 'github-cli':
    case 'github-token':
      return await signInByGithubToken(place, way);
    case 'token':
      return await readPastedToken(place.context);
  }
}

/** The server to sign in to. One that only a project file names is asked for: a cloned repository must not choose it. */
async function signInSettings(context: Context, pastedUrl: string | null): Promise<Settings> {
  const choices = choicesOf(context);
  const { url, profile } = choices;
  // A profile that is named for the first time is the name of the new one.
  const isNewProfile =
    profile !== null &&
    readSettings({ ...choices, profile: null }, true).userFile.profiles[profile] === undefined;
  const isNamed = url !== null || variable(context.environment, 'CULPRIT_URL') !== null;
  const settings = readSettings(
    { ...choices, profile: isNewProfile ? null : profile, url: url ?? (isNamed ? null : pastedUrl) },
    true,
  );
  for (const note of settings.notes) warn(context, note);
  if (settings.originFrom === 'project file' && !isLoopback(settings.origin)) {
    if (!context.terminal.isInteractive) {
      throw usageError(
        `${settings.origin} comes only from ${settings.originName}.`,
        `confirm it: culprit login --url ${settings.origin}`,
      );
    }
    await confirm(context, `Sign in to ${settings.origin}, the address in ${settings.originName}?`, '');
  }
  return settings;
}

function requireEncryption({ origin }: Settings, input: Input): void {
  if (!origin.startsWith('http:') || isLoopback(origin) || input.has('insecure-http')) return;
  throw usageError(
    `${origin} is not encrypted: anyone on the network can read the token.`,
    'use https, or add --insecure-http',
  );
}

/** Any list proves a token. The one project that it sees becomes the default. */
async function verify(context: Context, origin: string, token: string) {
  const api = openApi(context, origin, token, {
    credential: 'this token',
    profileName: null,
    isFromEnvironment: false,
  });
  const answer = await api.attempt(listProjects, { query: { limit: 2 } });
  if (!answer.ok) {
    throw answer.code === 'invalid_member_token'
      ? new CliError(`${origin} does not accept this token.`, {
          exit: EXIT.auth,
          code: answer.code,
          hint: 'check that it was created on this server and is not revoked',
          status: answer.status,
        })
      : answer.failure;
  }
  const { projects } = answer.body;
  const [first] = projects;
  const owned = projects.find(({ relationship }) => relationship === 'owned');
  return {
    project: projects.length === 1 && first !== undefined ? first : null,
    email: owned?.owner_email ?? null,
  };
}

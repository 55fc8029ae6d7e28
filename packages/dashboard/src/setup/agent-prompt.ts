import type { Platform, SetupPlace } from '@culprit/contract/setup/setup-platforms';

/** The task for a coding agent, with the lines of the page and its token. */
export function agentPrompt(platform: Platform, place: SetupPlace, projectName: string): string {
  return [
    `Add error tracking with Culprit to this application (${platform.name}). Errors go to the project "${projectName}" at ${place.baseUrl}.`,
    ...platform
      .steps(place)
      .map(({ title, code, note }, index) =>
        [`${index + 1}. ${title}:`, code, ...(note === undefined ? [] : [note])].join('\n\n'),
      ),
    CREDENTIALS[platform.credential],
    'Name the service after this application. Then send the test error and report the response.',
  ].join('\n\n');
}

const CREDENTIALS: Readonly<Record<Platform['credential'], string>> = {
  token:
    'The token is a secret. Read it from the environment variable CULPRIT_PROJECT_TOKEN and never commit it.',
  'page-token': 'The token is limited to the origins of the page and can be part of its code.',
  dsn: 'The address holds a public key that can only send. It can be part of the code.',
};

/**
 * The variables of the command line and of the client libraries (docs/contract/server-additions.md S29). The server
 * accepts them although they are not its settings, because users of both set them in the same shell.
 */
export const CLIENT_NAMES: ReadonlySet<string> = new Set([
  'CULPRIT_URL',
  'CULPRIT_TOKEN',
  'CULPRIT_PROJECT',
  'CULPRIT_PROJECT_TOKEN',
  'CULPRIT_PROFILE',
  'CULPRIT_CONFIG_DIR',
  'CULPRIT_NO_INPUT',
  'CULPRIT_ENDPOINT',
  'CULPRIT_DSN',
  'CULPRIT_ENABLED',
  'CULPRIT_MODE',
  'CULPRIT_SERVICE',
  'CULPRIT_ENVIRONMENT',
  'CULPRIT_RELEASE',
  'CULPRIT_COMMIT',
  'CULPRIT_DEBUG',
  'CULPRIT_LOCAL_DIR',
]);

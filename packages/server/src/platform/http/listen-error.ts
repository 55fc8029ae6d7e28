/** The port cannot be opened; the message is written for the operator. */
export class ListenError extends Error {
  override name = 'ListenError';
}

/** Words the failure to open a port; anything that has another cause is returned as it is. */
export function listenProblem(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const sentence = typeof code === 'string' ? REASONS.get(code) : undefined;
  return sentence === undefined ? error : new ListenError(sentence(host, port), { cause: error });
}

const REASONS = new Map<string, (host: string, port: number) => string>([
  [
    'EADDRINUSE',
    (host, port) =>
      `port ${port} of ${host} is already in use; stop what listens there, perhaps another Culprit, or choose another port with CULPRIT_PORT`,
  ],
  ['EACCES', (_host, port) => `this user may not open port ${port}; choose one above 1023 with CULPRIT_PORT`],
  [
    'EADDRNOTAVAIL',
    (host) => `${host} is no address of this machine; correct CULPRIT_HOST (0.0.0.0 listens on all of them)`,
  ],
  ['ENOTFOUND', (host) => `${host} is no known host name; correct CULPRIT_HOST`],
  ['EAI_AGAIN', (host) => `the host name ${host} cannot be looked up now; use an address in CULPRIT_HOST`],
]);

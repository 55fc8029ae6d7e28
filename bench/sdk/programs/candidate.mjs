// Plain JavaScript, as all programs here: stripping types would be measured too.

const TOKEN = `svc_proj_${'b'.repeat(43)}`;

/** Starts what is measured as an application does, with what it does by default. The bare candidate has nothing. */
export async function startCandidate(name, endpoint) {
  if (name === '@culprit/node') {
    const library = await import('@culprit/node');
    library.init({ token: TOKEN, endpoint, service: 'bench', environment: 'production' });
    return library;
  }
  if (name === '@sentry/node') {
    const library = await import('@sentry/node');
    library.init({ dsn: `http://bench@${new URL(endpoint).host}/1` });
    return library;
  }
  return null;
}

/** The candidate and the address that it sends to, from the command line. */
export const [CANDIDATE, ENDPOINT] = process.argv.slice(2);

/** Processor time of this process since a moment. That of a thread is counted in larger steps by some systems. */
export function processorMicros(before) {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Returns the variables that a command in another terminal needs to work on the data of this server. */
export function sameSettings(env: Record<string, string | undefined>): string {
  return ['CULPRIT_DATA_DIR', 'CULPRIT_PORT', 'CULPRIT_BASE_URL']
    .flatMap((name) => {
      const value = env[name];
      return value
        ? [`${name}=${/^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`} `]
        : [];
    })
    .join('');
}

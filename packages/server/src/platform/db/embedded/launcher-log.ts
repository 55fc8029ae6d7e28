/** The function to which the launcher reports its actions; the caller binds it to its own logger. */
export type LauncherLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Record<string, unknown>,
) => void;

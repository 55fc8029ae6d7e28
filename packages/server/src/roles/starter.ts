const STARTED_BY = '--started-by';
const POLL_MS = 1000;

/**
 * Takes `--started-by PID` from the beginning of the arguments: `npm start` names the npm that runs it.
 * @returns null as the pid if none is named
 */
export function readStarter(args: readonly string[]): { starterPid: number | null; args: readonly string[] } {
  if (args[0] !== STARTED_BY) return { starterPid: null, args };
  return { starterPid: Number(args[1]), args: args.slice(2) };
}

/**
 * Calls `onGone` once when the process that started this one has ended. npm does not forward every signal, and none
 * before it has started to watch its child, so without this a service would continue and nothing would stop it.
 */
export function watchStarter(starterPid: number, onGone: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === starterPid) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
}

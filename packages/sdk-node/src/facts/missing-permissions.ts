import { ownRoot } from '../local/own-directory.ts';

/** The functions that the library loses because Node was started with `--permission`. */
interface MissingPermissions {
  /** The flags that grant it. */
  flags: string;
  loss: string;
}

/**
 * Returns the functions that the flags of `--permission` deny to the library; null when they deny none.
 * @param spoolDirectory null if nothing is kept on disk
 */
export function findMissingPermissions(
  spoolDirectory: string | null,
  sendsCrashes: boolean,
): MissingPermissions | null {
  const { permission } = process;
  if (permission === undefined) return null;
  // Until Node 25 the network needs no permission, and `has` knows none for it.
  const isSilent = process.allowedNodeEnvironmentFlags.has('--allow-net') && !permission.has('net');
  if (isSilent) return { flags: '--allow-net', loss: 'nothing is sent' };
  const isKept = spoolDirectory !== null && permission.has('fs.write', spoolDirectory);
  const isSentAtOnce = sendsCrashes && permission.has('worker');
  const flags = [
    ...(sendsCrashes && !isSentAtOnce ? ['--allow-worker'] : []),
    ...(spoolDirectory !== null && !isKept
      ? [`--allow-fs-write=${ownRoot(spoolDirectory) ?? spoolDirectory}*`]
      : []),
  ];
  if (flags.length === 0) return null;
  const crashes = isKept
    ? 'an error that ends the process is sent when it starts again'
    : 'an error that ends the process is lost';
  const loss = isSentAtOnce ? 'events that cannot be sent are not kept' : crashes;
  return { flags: flags.join(' and '), loss };
}

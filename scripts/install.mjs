import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isForMachine } from './platform.mjs';
import { trimModules } from './trim-modules.mjs';

// Runs on the Node that is there, before anything is installed: plain JavaScript that Node 18 can read.

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const MODULES = join(ROOT, 'node_modules');
/** Inside `node_modules`, so that both are removed together. */
const MARKER = join(MODULES, '.culprit-installed.json');
const LOCK_DIR = join(ROOT, '.culprit', 'install.lock');
const LOCK_PID = join(LOCK_DIR, 'pid');

const HEARTBEAT_MS = 5_000;
const LOCK_POLL_MS = 500;
/** A lock directory gets its pid immediately; one without is a leftover after this time. */
const LOCK_WITHOUT_PID_MS = 5_000;
/** npm removes its half-made folders when it is asked to end. */
const STOP_MAX_MS = 5_000;
const INSTALL_MAX_MS = 30 * 60_000;
const OUTPUT_CHARACTERS_MAX = 64 * 1024;
const OUTPUT_LINES_SHOWN = 15;
const SECONDS_EXPECTED = { full: 60, production: 30 };

/**
 * Makes `node_modules` agree with the lockfile, and returns immediately when it does. Messages go to standard error.
 * Ends the process with exit code 1 and the reason when it cannot be done. `withDev` requests the tools of development
 * too; a full installation stays a full one.
 */
export async function ensureInstalled({ withDev }) {
  try {
    if (!isInstalled(withDev)) {
      await withLock(async () => {
        // The previous holder of the lock may have done the work.
        if (!isInstalled(withDev)) {
          await install(withDev || hasDevPackages() ? 'full' : 'production');
        }
      });
    }
  } catch (error) {
    console.error(`Culprit could not install its dependencies. ${explain(error)}`);
    process.exit(1);
  }
}

function isInstalled(withDev) {
  const marker = readMarker();
  if (marker !== null) {
    return marker.hash === lockfileHash() && (marker.mode === 'full' || !withDev);
  }
  // Installed by hand: npm keeps a list of what it put there.
  const mode = installedByHand();
  if (mode === null) {
    return false;
  }
  try {
    writeMarker(mode);
  } catch {
    // A read-only tree is judged anew each time.
  }
  return mode === 'full' || !withDev;
}

function readMarker() {
  const marker = readJson(MARKER);
  return marker !== null && typeof marker.hash === 'string' ? marker : null;
}

function writeMarker(mode) {
  writeFileSync(MARKER, `${JSON.stringify({ hash: lockfileHash(), mode })}\n`);
}

function lockfileHash() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
}

/** `full`, `production`, or null when something of the lockfile is missing or has another version. */
function installedByHand() {
  const wanted = readJson(join(ROOT, 'package-lock.json'))?.packages ?? {};
  const present = readJson(join(MODULES, '.package-lock.json'))?.packages ?? null;
  if (present === null) {
    return null;
  }
  let mode = 'full';
  for (const [path, entry] of Object.entries(wanted)) {
    const isSame = present[path] !== undefined && present[path].version === entry.version;
    if (
      !path.startsWith('node_modules/') ||
      isSame ||
      (entry.optional && (isOfAnother(entry) || !isForMachine(entry, process.platform, process.arch)))
    ) {
      continue;
    }
    // npm marks what a link points to as a tool, and not the link.
    const described = entry.link ? (wanted[entry.resolved] ?? entry) : entry;
    if (!described.dev && !described.devOptional) {
      return null;
    }
    mode = 'production';
  }
  return mode;
}

/** A package that names no system is installed together with a package that names one, and left out with it. */
function isOfAnother({ os, cpu }) {
  return os === undefined && cpu === undefined;
}

/** Returns true if the tools of development are installed, in any version: then they were requested, and stay. */
function hasDevPackages() {
  const present = readJson(join(MODULES, '.package-lock.json'))?.packages ?? {};
  return readMarker()?.mode === 'full' || Object.values(present).some((entry) => entry.dev === true);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

async function install(mode) {
  const isFirst = !existsSync(MODULES);
  const seconds = SECONDS_EXPECTED[mode];
  console.error(
    `Installing dependencies (${isFirst ? 'first start' : 'they changed'}, about ${seconds} seconds)…`,
  );
  const begin = Date.now();
  const elapsedSeconds = () => Math.round((Date.now() - begin) / 1_000);
  const heartbeat = setInterval(
    () => console.error(`  still installing, ${elapsedSeconds()} s`),
    HEARTBEAT_MS,
  );
  try {
    await runNpm([
      'ci',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      // `npm run -s` and NODE_ENV reach us through the environment and would hide errors or leave parts out.
      '--loglevel=error',
      '--include=optional',
      mode === 'full' ? '--include=dev' : '--omit=dev',
    ]);
  } finally {
    clearInterval(heartbeat);
  }
  trimModules(MODULES, mode);
  writeMarker(mode);
  console.error(`Dependencies installed in ${elapsedSeconds()} s.`);
}

function runNpm(npmArguments) {
  const npmProgram = process.env.npm_execpath ?? '';
  const [command, ...args] = basename(npmProgram).startsWith('npm-cli')
    ? [process.execPath, npmProgram, ...npmArguments]
    : ['npm', ...npmArguments];
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: INSTALL_MAX_MS,
    });
    let output = '';
    const collect = (chunk) => {
      output = (output + chunk).slice(-OUTPUT_CHARACTERS_MAX);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);

    // Without this a stopped start would leave npm at work behind it.
    let stoppedBy = null;
    const stop = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
      setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS).unref();
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) {
      process.once(signal, stop);
    }
    const settle = (action) => {
      for (const signal of signals) {
        process.removeListener(signal, stop);
      }
      action();
    };
    child.on('error', (error) => settle(() => reject(error)));
    child.on('close', (code, signal) =>
      settle(() =>
        code === 0 && stoppedBy === null
          ? resolve()
          : reject(new NpmError(stoppedBy ?? signal ?? `code ${code}`, output)),
      ),
    );
  });
}

class NpmError extends Error {
  constructor(ending, output) {
    super(`npm ended with ${ending}`);
    this.output = output;
  }
}

/** Which sentence goes with which words of npm or of the system; the first match counts. */
const REASONS = [
  [/ENOSPC|no space left/i, () => 'The disk is full: free some space and start again.'],
  [
    /EACCES|EPERM|EROFS/,
    () => `A file cannot be written: ${ROOT} (or npm's cache) must belong to the user that starts it.`,
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network/,
    () =>
      'The npm registry cannot be reached: check the network, or the registry and proxy of "npm config list".',
  ],
  [/in sync/, () => 'package.json and package-lock.json do not belong together: check both out again.'],
  [
    /EINTEGRITY/,
    () => 'A package does not match the lockfile: run "npm cache clean --force" and start again.',
  ],
  [/E40[134]|ETARGET/, () => 'The npm registry refused a package: see the lines below.'],
];

function explain(error) {
  if (error.code === 'ENOENT' && String(error.syscall).startsWith('spawn')) {
    return 'npm was not found: install Node.js together with npm, then start again.';
  }
  const output = error instanceof NpmError ? error.output : '';
  const reason = REASONS.find(([words]) => words.test(`${error.code ?? ''} ${error.message} ${output}`));
  const lines = output.trim() === '' ? [] : output.trim().split('\n').slice(-OUTPUT_LINES_SHOWN);
  return [reason === undefined ? `${error.message}.` : reason[1](), ...lines.map((line) => `  ${line}`)].join(
    '\n',
  );
}

/** One installation at a time; others wait for it. A lock whose process is gone is taken over. */
export async function withLock(work, purpose = 'installing dependencies') {
  mkdirSync(dirname(LOCK_DIR), { recursive: true });
  let hasSaidSo = false;
  while (!takeLock()) {
    const holder = lockHolder();
    if (!isAlive(holder)) {
      removeDeadLock(holder.text);
      continue;
    }
    if (!hasSaidSo) {
      console.error(
        `Another Culprit command (pid ${holder.text}) is installing dependencies or building; before ${purpose} this one waits for it…`,
      );
      hasSaidSo = true;
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
  try {
    await work();
  } finally {
    releaseLock();
  }
}

function takeLock() {
  try {
    mkdirSync(LOCK_DIR);
  } catch (error) {
    if (error.code === 'EEXIST') {
      return false;
    }
    throw error;
  }
  writeFileSync(LOCK_PID, String(process.pid));
  return true;
}

function releaseLock() {
  if (lockHolder().text === String(process.pid)) {
    rmSync(LOCK_DIR, { recursive: true, force: true });
  }
}

function lockHolder() {
  try {
    const ageMs = Date.now() - statSync(LOCK_DIR).mtimeMs;
    return { text: existsSync(LOCK_PID) ? readFileSync(LOCK_PID, 'utf8') : '', ageMs };
  } catch {
    return { text: '', ageMs: 0 };
  }
}

function isAlive({ text, ageMs }) {
  const pid = Number(text);
  if (pid === 0) {
    return ageMs < LOCK_WITHOUT_PID_MS;
  }
  if (ageMs > INSTALL_MAX_MS) {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Moved first and checked again: another process may have taken the lock in between. */
function removeDeadLock(judgedText) {
  const aside = `${LOCK_DIR}.${process.pid}`;
  try {
    renameSync(LOCK_DIR, aside);
    const pidPath = join(aside, 'pid');
    if (existsSync(pidPath) && readFileSync(pidPath, 'utf8') !== judgedText) {
      renameSync(aside, LOCK_DIR);
      return;
    }
    rmSync(aside, { recursive: true, force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') {
      throw error;
    }
  }
}
